import { useSearchParams } from 'wouter';

/**
 * Filters in the query of the URL, so that a link can be shared. Setting one to undefined, null or '' removes it. The
 * entry in the browser's history is replaced.
 */
export function useQueryState(): [
  (name: string) => string | undefined,
  (changes: Record<string, string | undefined | null>) => void,
] {
  const [search, setSearch] = useSearchParams();
  return [
    (name) => search.get(name) ?? undefined,
    (changes) =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes))
            if (value) after.set(name, value);
            else after.delete(name);
          return after;
        },
        { replace: true },
      ),
  ];
}

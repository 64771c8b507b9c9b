import { hashKey, keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { appendPage, freshRows, refreshList, shareRows, startList } from './loaded-list.ts';
import type { LoadedList } from './loaded-list.ts';
import { read } from './request.ts';
import type { PageOfMember, SearchedTo } from './types.ts';

const pageSize = 50;

/** A list ends here. Whoever looks for other rows needs a narrower filter. */
export const maxRows = 1_000;

/** A list that is loaded page by page. */
export interface Pages<T> {
  /** Undefined while the first page is loaded. */
  rows: T[] | undefined;
  /** The present id of the member that the list is filtered by, when the filter is a former id. */
  survivor: string | undefined;
  /** Whether the rows are those of the previous filter, while new ones load. */
  isOutdated: boolean;
  error: Error | null;
  retry: () => void;
  /** Loads the next page. Undefined on the last one. */
  more: { load: () => void; isPending: boolean; error: Error | null } | undefined;
  /** How far the rows were searched for those that match the filters, when there are older ones. */
  searchedTo: SearchedTo | undefined;
  /** Whether the list ends before its last row. */
  isCut: boolean;
  /** The rows that arrived while older pages are shown. `show` starts the list again with them. */
  fresh: { count: number; isExact: boolean; show: () => void } | undefined;
}

/**
 * A list that is loaded page by page. `refetchInterval` in ms keeps its first page up to date while the browser tab is visible; older pages
 * stay as they were read, until a change on this page makes the list stale.
 */
export function usePages<T extends object>(
  path: string,
  query: object = {},
  refetchInterval: number | false = false,
): Pages<T> {
  const client = useQueryClient();
  const queryKey = [path, query];
  const list = useQuery({
    queryKey,
    queryFn: async () => {
      const { isInvalidated = false, data } = client.getQueryState<LoadedList<T>>(queryKey) ?? {};
      const first = await readPage<T>(path, query);
      if (isInvalidated) return readAgain(startList(first), data?.rows.length ?? 0);
      // Another page may have been loaded meanwhile.
      const shown = client.getQueryData<LoadedList<T>>(queryKey);
      return shown ? refreshList(shown, first) : startList(first);
    },
    structuralSharing: (before, after) =>
      shareRows(before as LoadedList<T> | undefined, after as LoadedList<T>),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const readAgain = async (again: LoadedList<T>, length: number): Promise<LoadedList<T>> => {
    if (again.next === null || again.rows.length >= length) return again;
    return readAgain(appendPage(again, again.next, await readPage<T>(path, query, again.next)), length);
  };
  const more = useMutation({
    mutationFn: async (of: object) => {
      const shown = () => client.getQueryData<LoadedList<T>>([path, of]);
      for (let known = shown(); known && known.next !== null; known = shown()) {
        const { next } = known;
        const page = await readPage<T>(path, of, next);
        // Meanwhile the first page can have been read again, and end elsewhere: then the page after it is another one.
        if (shown()?.next !== next) continue;
        client.setQueryData<LoadedList<T>>([path, of], appendPage(known, next, page));
        return;
      }
    },
  });
  const { data, isPlaceholderData } = list;
  const cursor = data?.next ?? null;
  const isOfThis = more.variables !== undefined && hashKey([path, more.variables]) === hashKey(queryKey);
  const isFull = (data?.rows.length ?? 0) >= maxRows;
  const fresh = data?.hasOlder ? freshRows(data) : undefined;
  return {
    rows: data?.rows,
    survivor: data?.first.survivor_member_id,
    isOutdated: isPlaceholderData,
    error: list.error,
    retry: () => void list.refetch(),
    more:
      cursor === null || isFull || isPlaceholderData
        ? undefined
        : {
            load: () => more.mutate(query),
            isPending: more.isPending && isOfThis,
            error: isOfThis ? more.error : null,
          },
    searchedTo: data?.searchedTo,
    isCut: cursor !== null && isFull,
    fresh: fresh?.count
      ? {
          ...fresh,
          show: () =>
            client.setQueryData<LoadedList<T>>(queryKey, (shown) => shown && startList(shown.first)),
        }
      : undefined,
  };
}

const readPage = <T>(path: string, query: object, after?: string): Promise<PageOfMember<T>> =>
  read(path, { ...query, after, limit: pageSize });

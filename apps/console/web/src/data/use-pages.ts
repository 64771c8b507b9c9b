import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from './request.ts';
import type { PageOfMember } from './types.ts';

/**
 * A list that is loaded page by page. `survivor` is the present id of the member that the list is filtered by, when the filter is a
 * former id. `refetchInterval` in ms keeps it up to date while the page is visible.
 */
export function usePages<T>(path: string, query: object = {}, refetchInterval: number | false = false) {
  const result = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam }) =>
      read<PageOfMember<T>>(path, { ...query, after: pageParam || undefined, limit: 50 }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const survivor = result.data?.pages[0]?.survivor_member_id;
  return { ...result, survivor, rows: result.data?.pages.flatMap(({ items }) => items) };
}

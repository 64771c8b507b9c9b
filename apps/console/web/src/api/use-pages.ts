import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from './request.ts';
import type { Page } from './types.ts';

/** A list that is loaded page by page. `refetchInterval` in ms keeps it up to date while the page is visible. */
export function usePages<T>(path: string, query: object = {}, refetchInterval: number | false = false) {
  const result = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam }) => read<Page<T>>(path, { ...query, after: pageParam || undefined, limit: 50 }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  return { ...result, rows: result.data?.pages.flatMap(({ items }) => items) };
}

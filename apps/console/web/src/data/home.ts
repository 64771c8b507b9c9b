import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { read } from './request.ts';
import type { HomeRange, HomeView } from './types.ts';

export function useHome(range: HomeRange) {
  return useQuery({
    queryKey: ['/home', range],
    queryFn: () => read<HomeView>('/home', { range }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
}

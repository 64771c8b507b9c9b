import { useQuery } from '@tanstack/react-query';
import { read } from './request.ts';

/** The time zones that the API accepts. */
export function useTimeZones() {
  return useQuery({
    queryKey: ['/time-zones'],
    queryFn: () => read<string[]>('/time-zones'),
    staleTime: Infinity,
  });
}

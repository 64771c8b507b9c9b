import { useQuery } from '@tanstack/react-query';
import { read } from './request.ts';
import type { ProblemPage, ProblemView, ProblemsQuery } from './types.ts';
import { usePages } from './use-pages.ts';

/** Housekeeping looks for problems every 15 seconds. */
const refetchInterval = 15_000;

/** The open problems: all, or those of a kind or a webhook. */
export const useOpenProblems = (about: Pick<ProblemsQuery, 'kind' | 'subject'> = {}) =>
  usePages<ProblemView>('/problems', about, refetchInterval);

/** Those that were resolved, the last one first. */
export const useResolvedProblems = () => usePages<ProblemView>('/problems', { resolved: true }, 60_000);

/** The problem that was resolved last, while none is open; null when there is none. */
export function useLastResolvedProblem(enabled: boolean) {
  return useQuery({
    queryKey: ['/problems', 'last resolved'],
    queryFn: async () => {
      const { items } = await read<ProblemPage>('/problems', { resolved: true, limit: 1 });
      return items[0] ?? null;
    },
    enabled,
  });
}

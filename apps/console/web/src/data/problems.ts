import type { ProblemFilter } from './types.ts';
import { useList } from './use-read.ts';

/** The open problems: all, or those of a kind or a webhook. Housekeeping looks for problems every 15 seconds. */
export const useOpenProblems = (about: Pick<ProblemFilter, 'kind' | 'subject'> = {}) =>
  useList('GET /problems', about, 15_000);

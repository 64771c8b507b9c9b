import type { RequestHandler } from 'express';
import { stageNameOf } from './board-names.ts';

/** Stages whose jobs contain ids only. */
const smallJobs = ['reward-evaluation', 'webhook-delivery', 'housekeeping'];

/** The most jobs of each status on a page. The board reads jobs completely, and those of `sync` have up to 2 MiB. */
const maxJobsPerPage = { small: 20, large: 4 };

/**
 * Limits the pages of the board, which asks for 10 jobs, or for as many as somebody chose in its settings. The numbers of
 * pages are those of the limited pages.
 */
export const limitPages: RequestHandler = (request, _response, next) => {
  const url = new URL(request.url, 'http://dashboard');
  const asked = Number(url.searchParams.get('jobsPerPage') ?? 10);
  const stage = stageNameOf(url.searchParams.get('activeQueue') ?? '');
  const limit = smallJobs.includes(stage) ? maxJobsPerPage.small : maxJobsPerPage.large;
  if (asked > limit) {
    url.searchParams.set('jobsPerPage', String(limit));
    request.url = url.pathname + url.search;
  }
  next();
};

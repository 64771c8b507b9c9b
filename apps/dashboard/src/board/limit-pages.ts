import type { RequestHandler } from 'express';
import { stageNameOf } from './board-names.ts';

/** Stages whose jobs contain ids only. */
const smallJobs = ['reward-evaluation', 'webhook-delivery', 'housekeeping'];

/**
 * The most jobs on a page. The board reads them completely, and those of `sync` have up to 2 MiB. The page "Latest" shows
 * as many of each status, and `sync` can have jobs in five.
 */
const maxJobs = { small: 20, large: 4, largeOfEachStatus: 1 };

/**
 * Limits the pages of the board, which asks for 10 jobs, or for as many as somebody chose in its settings. The numbers of
 * pages are those of the limited pages.
 */
export const limitPages: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  const parameters = new URLSearchParams(query.join('?'));
  const asked = Number(parameters.get('jobsPerPage') ?? 10);
  const limit = limitOf(parameters);
  if (asked > limit) {
    parameters.set('jobsPerPage', String(limit));
    request.url = `${path}?${parameters.toString()}`;
  }
  next();
};

function limitOf(parameters: URLSearchParams): number {
  if (smallJobs.includes(stageNameOf(parameters.get('activeQueue') ?? ''))) return maxJobs.small;
  const isOfEachStatus = (parameters.get('status') ?? 'latest') === 'latest';
  return isOfEachStatus ? maxJobs.largeOfEachStatus : maxJobs.large;
}

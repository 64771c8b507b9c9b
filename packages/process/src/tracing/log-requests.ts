import type { Log } from '../logger.ts';
import type { RequestTrace } from './span.ts';

/** Ids in one line. More ids are written as more lines, so that a line stays below 12 kB. */
const idsPerLine = 100;

/**
 * Logs work that was done for requests, with their ids: each once, in `requestIds`. Work for unknown requests is not
 * logged.
 */
export function logRequests(
  log: Pick<Log, 'info'>,
  message: string,
  fields: object,
  requests: Iterable<Pick<RequestTrace, 'requestId'> | undefined>,
): void {
  const distinct = new Set<string>();
  for (const request of requests) if (request?.requestId !== undefined) distinct.add(request.requestId);
  const ids = [...distinct];
  for (let start = 0; start < ids.length; start += idsPerLine)
    log.info(message, { ...fields, requestIds: ids.slice(start, start + idsPerLine) });
}

import type { RequestHandler } from 'express';
import { rateLimited } from '../http/api-error.ts';
import { ownerOf } from '../keys/authenticate.ts';

/** Reads of one merchant at a time. The connections to PostgreSQL are shared with the key checks of all merchants. */
const maxReads = 5;

/**
 * Middleware: limits how many requests of a merchant read from PostgreSQL at the same time in this process, so that slow
 * reads of one do not delay the requests of others. Refuses with 429.
 */
export function limitReads(): RequestHandler {
  const reading = new Map<string, number>();
  return (_request, response, next) => {
    const { merchantId } = ownerOf(response);
    const count = reading.get(merchantId) ?? 0;
    if (count >= maxReads)
      throw rateLimited(`At most ${maxReads} requests that read may be in progress.`, 1, 'reads');
    reading.set(merchantId, count + 1);
    response.once('close', () => {
      const left = (reading.get(merchantId) ?? 1) - 1;
      if (left > 0) reading.set(merchantId, left);
      else reading.delete(merchantId);
    });
    next();
  };
}

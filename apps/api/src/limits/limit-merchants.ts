import type { RequestHandler } from 'express';
import { openConcurrencyLimit, ConcurrencyLimitReached } from '@rewardhook/process';
import { rateLimited } from '../http/api-error.ts';
import type { RejectionCause } from '../http/api-error.ts';
import { ownerOf } from '../keys/authenticate.ts';

/** Wraps a handler: limits how many requests of one merchant it works on at the same time in this process. */
type LimitMerchants = (handler: RequestHandler) => RequestHandler;

/*
 * The connections to PostgreSQL are shared by all merchants, so one merchant must not hold all of them: its reads, boots and
 * links together have fewer permits than the default of DATABASE_POOL_SIZE. A permit is held until the handler has ended, also when
 * its client has closed the connection.
 */

/**
 * At most 2 requests of a merchant that read run at a time, because each may read the largest order, and 3 more wait. The others
 * are refused with 429.
 */
export const limitReads = (): LimitMerchants =>
  limitMerchants({
    permits: 2,
    maxWaiting: 3,
    rejectionCause: 'reads',
    message: 'At most 5 requests that read may be in progress.',
  });

/**
 * At most 2 boots and 2 links of a merchant run at a time; more are not faster. The others wait, because the customers of a shop
 * can come all at once. They are refused with 429 when 2,000 wait.
 */
export const limitWrites = (): LimitMerchants =>
  limitMerchants({
    permits: 2,
    maxWaiting: 2_000,
    rejectionCause: 'writes',
    message: 'At most 2,000 requests of this kind may wait.',
  });

/** At most 20 test events of a merchant are sent at a time; most of that time is waiting for the receiver. More are refused with 429. */
export const limitTestEvents = (): LimitMerchants =>
  limitMerchants({
    permits: 20,
    maxWaiting: 0,
    rejectionCause: 'test_events',
    message: 'At most 20 test events may be in progress.',
  });

function limitMerchants({
  permits,
  maxWaiting,
  rejectionCause,
  message,
}: {
  permits: number;
  maxWaiting: number;
  rejectionCause: RejectionCause;
  message: string;
}): LimitMerchants {
  const limit = openConcurrencyLimit({ permits, maxWaiting });
  return (handler) => (request, response, next) =>
    limit
      .run(ownerOf(response).merchantId, async () => handler(request, response, next))
      .catch((error: unknown) => {
        throw error instanceof ConcurrencyLimitReached ? rateLimited(message, 1, rejectionCause) : error;
      });
}

import type { RequestHandler } from 'express';
import { boardPrefixOf } from './board-names.ts';
import type { Queues } from './board-names.ts';

/**
 * PUT /api/queues/:queueName/retry/failed, for operators: retries all failed jobs of a queue without reading them. The board would read
 * 100 at a time, which can be 200 MiB.
 */
export function retryAll(queues: Queues): RequestHandler {
  return async (request, response, next) => {
    const { queueName } = request.params;
    const queue = queues.find((one) => `${boardPrefixOf(one, queues)}${one.name}` === queueName);
    // The board refuses viewers and unknown queues.
    if (queue === undefined || response.locals['role'] !== 'operator') return next();
    const retried = await queue.getFailedCount();
    await queue.retryJobs({ state: 'failed' });
    response.json({ retried, skipped: 0 });
  };
}

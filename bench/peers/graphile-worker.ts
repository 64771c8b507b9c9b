import { Logger, run } from 'graphile-worker';
import { serveTask } from '../tasks/serve-task.ts';
import { openAttempter } from './attempt-delivery.ts';
import type { PeerDelivery } from './delivery.ts';
import type { WorkerPlan } from './worker-plan.ts';

const databaseConnections = 10;

/**
 * Both kinds of batches. Not with named queues: a queue would be locked until the batch of completed jobs is written, and
 * its next job wait for the next poll.
 */
const batching = (size: number) => ({ localQueue: { size }, completeJobBatchDelay: 0, failJobBatchDelay: 0 });

// The worker of graphile-worker, configured as its page "Performance" says: each job is a delivery. A call returns the
// number of deliveries that succeeded.
serveTask<WorkerPlan, null, number>(async ({ databaseUrl, queue, concurrency, localQueue }) => {
  const attempter = openAttempter(databaseUrl, databaseConnections);
  await run({
    taskList: {
      [queue]: (payload, { job }) => attempter.attempt(payload as PeerDelivery, job.attempts),
    },
    // Otherwise a line for each job would be part of what is measured.
    logger: new Logger(() => () => undefined),
    noHandleSignals: true,
    preset: {
      worker: {
        connectionString: databaseUrl,
        concurrentJobs: concurrency,
        maxPoolSize: 25,
        ...(localQueue === undefined ? {} : batching(localQueue)),
      },
    },
  });
  return { ready: null, call: async () => attempter.succeeded() };
});

import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { serveTask } from '../tasks/serve-task.ts';
import { openAttempter } from './attempt-delivery.ts';
import type { PeerDelivery } from './delivery.ts';
import type { WorkerPlan } from './worker-plan.ts';

/** Connections to the database: the fastest of 5, 10 and 20 on 2 cores. */
const databaseConnections = 10;

// The worker of plain BullMQ: each job is a delivery. A call returns the number of deliveries that succeeded.
serveTask<WorkerPlan, null, number>(async ({ databaseUrl, redisUrl, queue, concurrency }) => {
  const attempter = openAttempter(databaseUrl, databaseConnections);
  const worker = new Worker<PeerDelivery>(
    queue,
    (job) => attempter.attempt(job.data, job.attemptsMade + 1),
    // `maxRetriesPerRequest: null` is what BullMQ's "Going to production" asks for.
    { connection: new Redis(redisUrl, { maxRetriesPerRequest: null }), concurrency },
  );
  worker.on('error', (error) => console.error(error));
  await worker.waitUntilReady();
  return { ready: null, call: async () => attempter.succeeded() };
});

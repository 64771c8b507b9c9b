import { Client } from 'pg';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';
import { maxAttempts } from './delivery.ts';
import type { PeerDelivery } from './delivery.ts';
import { openPeer } from './open-peer.ts';
import type { System } from './system.ts';
import type { WorkerPlan } from './worker-plan.ts';

/** The size of the local queue in the library's page "Performance". */
const localQueue = 500;

const addJobsSql = `SELECT count(*) FROM graphile_worker.add_jobs(
  ARRAY(SELECT json_populate_recordset(NULL::graphile_worker.job_spec, $1::json)))`;

/**
 * graphile-worker: one job for each delivery. With `queueForEachEndpoint` the jobs of an endpoint run one after the other
 * (its page "Techniques"); the local queue is off then, because it would run them concurrently (graphile/worker#621).
 */
export async function openGraphile(
  bench: Bench,
  receiverUrl: string,
  concurrency: number,
  { queueForEachEndpoint = false } = {},
): Promise<System> {
  const { databaseUrl, redisUrl } = bench.stack;
  const plan: WorkerPlan = {
    databaseUrl,
    redisUrl,
    queue: `peer-deliveries-${concurrency}${queueForEachEndpoint ? '-by-endpoint' : ''}`,
    concurrency,
    localQueue: queueForEachEndpoint ? undefined : localQueue,
  };
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const worker = await openTask<WorkerPlan, null, number>('peers/graphile-worker.ts', plan);

  const add = async (deliveries: PeerDelivery[]) => {
    const jobs = deliveries.map((delivery) => ({
      identifier: plan.queue,
      payload: delivery,
      max_attempts: maxAttempts,
      queue_name: queueForEachEndpoint ? delivery.endpointId : undefined,
    }));
    await client.query(addJobsSql, [JSON.stringify(jobs)]);
  };
  // Jobs are visible, and the worker is notified, when their transaction commits.
  const hold = async (deliveries: PeerDelivery[]) => {
    await client.query('BEGIN');
    await add(deliveries);
    return async () => void (await client.query('COMMIT'));
  };
  const close = async () => {
    await client.end();
  };
  const name = queueForEachEndpoint ? 'graphile-worker, a queue for each endpoint' : 'graphile-worker';
  return openPeer(name, { sql: bench.sql, receiverUrl }, { add, hold, close }, worker);
}

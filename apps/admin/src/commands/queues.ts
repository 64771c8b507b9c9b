import { noteAudit, unparkEndpoints } from '@rewardhook/database';
import {
  listParkedJobs,
  openProducer,
  openQueueStates,
  readShards,
  ReadableOrders,
  removeParkedJobs,
  retryParkedJobs,
  stageNames,
} from '@rewardhook/pipeline';
import type { Stage } from '@rewardhook/pipeline';
import { command, CommandFailed, UsageError } from '../command.ts';
import { readFlag, readLimit } from '../option-values.ts';

const queueOption = `one of ${stageNames.join(', ')}`;

export const queueList = command({
  description:
    'List the queues with their jobs by state, whether they are paused, and the age of their oldest job.',
  audit: null,
  required: {},
  async run(_options, { redis, queuePrefix }) {
    const states = openQueueStates(await redis(), queuePrefix);
    try {
      const queues = await states.read();
      return {
        document: Object.entries(queues).map(([queue, { jobs, ...state }]) => ({ queue, ...state, ...jobs })),
      };
    } finally {
      await states.close();
    }
  },
});

export const queueParked = command({
  description:
    'List the jobs that failed repeatedly and are parked. Those of "sync" hold the only copy of accepted orders.',
  audit: null,
  required: {},
  optional: {
    queue: `${queueOption} (default: all)`,
    limit: 'maximum number of jobs of each queue (default 100)',
  },
  async run({ queue, limit = '100' }, { redis, queuePrefix }) {
    const stage = queue === undefined ? undefined : readStage(queue);
    return { document: await listParkedJobs(await redis(), queuePrefix, { stage, limit: readLimit(limit) }) };
  },
});

export const queueRetry = command({
  description:
    'Retry parked jobs after their cause is fixed: all of a queue, or one. For "webhook-delivery", webhooks that are ' +
    'parked are sent to again.',
  audit: 'queue.changed',
  required: { queue: queueOption },
  optional: { job: 'id of one job, from "queue parked"' },
  async run({ queue, job }, { database, redis, queuePrefix }) {
    const stage = readStage(queue);
    const connection = await redis();
    const jobsRetried = await retryParkedJobs(connection, queuePrefix, { stage, id: job });
    if (job !== undefined && jobsRetried === 0) throw notParked(job, stage);
    noteAudit({ subjectId: stage, details: { jobsRetried } });
    if (stage !== 'webhook-delivery' || job !== undefined) return { document: { jobsRetried } };
    const endpoints = await unparkEndpoints(database, undefined);
    const shards = await readShards(connection, queuePrefix);
    const producer = openProducer('webhook-delivery', connection, queuePrefix, { shards });
    await producer.enqueue(endpoints).finally(() => producer.close());
    return { document: { jobsRetried, webhooksRetried: endpoints.length } };
  },
});

export const queueRemove = command({
  description:
    'Remove a parked job that is damaged. The orders of a job of "sync" are lost: ask the merchant to send them again.',
  audit: 'queue.changed',
  required: { queue: queueOption, job: 'id of the job, from "queue parked"' },
  optional: { force: 'true also removes a job of "sync" whose orders can be read (default false)' },
  async preview({ queue, job, force }, { redis, queuePrefix }) {
    const stage = readStage(queue);
    const options = { stage, id: job, force: readFlag('--force', force), dryRun: true };
    const found = await removeJobs(await redis(), queuePrefix, options);
    const merchants = [...new Set(found.flatMap(({ merchantId }) => merchantId ?? []))];
    const of = merchants.length === 0 ? '' : ` of ${merchants.join(', ')}`;
    const lost = stage === 'sync' ? ' Its orders exist nowhere else.' : '';
    return {
      what: `Removes the parked job ${job}${of} from the queue ${stage}.${lost}`,
      counts: { jobs: found.length, orders: found.reduce((sum, { orders }) => sum + (orders ?? 0), 0) },
    };
  },
  async run({ queue, job, force }, { redis, queuePrefix }) {
    const stage = readStage(queue);
    const options = { stage, id: job, force: readFlag('--force', force) };
    const jobsRemoved = await removeJobs(await redis(), queuePrefix, options);
    const details = jobsRemoved.map(({ id, merchantId, orders }) => ({ id, merchantId, orders }));
    noteAudit({ subjectId: stage, details: { jobsRemoved: details } });
    return { document: { jobsRemoved } };
  },
});

/** @throws UsageError when there is no such job; CommandFailed when its orders can be read */
async function removeJobs(...[redis, prefix, options]: Parameters<typeof removeParkedJobs>) {
  const removed = await removeParkedJobs(redis, prefix, options).catch((error: unknown) => {
    throw error instanceof ReadableOrders ? new CommandFailed(readableOrders(options.id)) : error;
  });
  if (removed.length === 0) throw notParked(options.id, options.stage);
  return removed;
}

const readableOrders = (job: string) =>
  `The orders of the job ${job} can be read, by this release or a newer one, and exist nowhere else. Nothing was removed. Retry ` +
  'the job when the cause of its failure is fixed, or remove it with --force true.';

const notParked = (job: string, stage: Stage) =>
  new UsageError(`There is no parked job ${job} in the queue ${stage}.`);

function readStage(name: string): Stage {
  const stage = stageNames.find((one) => one === name);
  if (!stage) throw new UsageError(`--queue must be ${queueOption}.`);
  return stage;
}

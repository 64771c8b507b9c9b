import { unparkEndpoints } from '@rewardhook/database';
import {
  listParkedJobs,
  openProducer,
  openQueueStates,
  readShards,
  retryParkedJobs,
  stageNames,
} from '@rewardhook/pipeline';
import type { Stage } from '@rewardhook/pipeline';
import { command, UsageError } from '../command.ts';
import { readLimit } from '../option-values.ts';

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
    if (job !== undefined && jobsRetried === 0)
      throw new UsageError(`There is no parked job ${job} in the queue ${stage}.`);
    if (stage !== 'webhook-delivery' || job !== undefined) return { document: { jobsRetried } };
    const endpoints = await unparkEndpoints(database, undefined);
    const producer = openProducer(
      'webhook-delivery',
      connection,
      queuePrefix,
      await readShards(connection, queuePrefix),
    );
    await producer.enqueue(endpoints).finally(() => producer.close());
    return { document: { jobsRetried, webhooksRetried: endpoints.length } };
  },
});

function readStage(name: string): Stage {
  const stage = stageNames.find((one) => one === name);
  if (!stage) throw new UsageError(`--queue must be ${queueOption}.`);
  return stage;
}

import type { Queue } from 'bullmq';
import { isFailing } from './content-failures.ts';
import type { Redis } from './redis.ts';
import { readWaitingShares } from './fair-priorities.ts';
import type { WaitingShare } from './fair-priorities.ts';
import { openHousekeepingQueue, openQueues } from './queues.ts';
import { readShards } from './shards.ts';
import { housekeepingQueue, stageNames } from './stages.ts';
import type { Stage } from './stages.ts';

/** The state of one queue. */
export interface QueueState {
  /** Jobs by state. The jobs of a paused queue count as waiting. */
  jobs: Record<(typeof jobStates)[number], number>;
  /** Jobs that are not finished: waiting, prioritized, delayed or active. */
  unfinished: number;
  /** Whether it is paused: its workers take no jobs. */
  isPaused: boolean;
  /**
   * Age of the oldest unfinished job in seconds; 0 when there is none. Read from a sample of each state: a job that was
   * retried and waits behind newer ones can be older.
   */
  oldestSeconds: number;
  /** Unfinished jobs of the sample whose tries have failed several times because of their content. */
  failing: number;
}

const jobStates = ['waiting', 'prioritized', 'delayed', 'active', 'failed', 'completed'] as const;

/**
 * How many jobs of each state are read for their age, the next one to run first. The next ones of `prioritized` are those
 * of merchants with few orders, before the oldest of others.
 */
const sampled = { waiting: 20, prioritized: 100, delayed: 300, active: 100 };

/** The states of the stages, each over all its queues, and of the queue of the housekeeping tasks. */
export type QueueStates = Record<Stage | typeof housekeepingQueue, QueueState>;

/** Reads the states of all queues. */
export interface OpenQueueStates {
  read(): Promise<QueueStates>;
  /** The KiB of orders that merchants have waiting to be stored, the most first, of at most `limit` merchants. */
  readWaitingKib(limit: number): Promise<WaitingShare[]>;
  close(): Promise<void>;
}

/** Opens all queues for reading their states. */
export function openQueueStates(redis: Redis, prefix: string): OpenQueueStates {
  let shards = 1;
  let queues = openQueues(redis, prefix);
  const housekeeping = openHousekeepingQueue(redis, prefix);
  // A queue that was never connected would wait for its connection, which is about to close.
  const close = async () => {
    if (redis.status === 'ready') await Promise.all([housekeeping, ...queues].map((queue) => queue.close()));
  };
  const followShards = async () => {
    const known = await readShards(redis, prefix);
    if (known === shards) return;
    await Promise.all(queues.map((queue) => queue.close()));
    queues = openQueues(redis, prefix, known);
    shards = known;
  };
  return {
    async read() {
      await followShards();
      const states = stageNames.map(async (stage) => {
        const ofStage = queues.filter(({ name }) => name === stage);
        return [
          stage,
          merge(await Promise.all(ofStage.map((queue) => readQueueState(queue, redis)))),
        ] as const;
      });
      const [ofTasks, ...ofStages] = await Promise.all([readTaskState(housekeeping, redis), ...states]);
      return { ...Object.fromEntries(ofStages), [housekeepingQueue]: ofTasks } as QueueStates;
    },
    async readWaitingKib(limit) {
      await followShards();
      const ofSync = queues.filter(({ name }) => name === 'sync');
      const shares = await Promise.all(ofSync.map((queue) => readWaitingShares(redis, queue, limit)));
      return shares
        .flat()
        .sort((one, other) => other.waiting - one.waiting)
        .slice(0, limit);
    },
    close,
  };
}

/** The state of a stage from those of its queues. It counts as paused when any of them is. */
function merge(states: QueueState[]): QueueState {
  const sum = (valueOf: (state: QueueState) => number) =>
    states.reduce((total, state) => total + valueOf(state), 0);
  return {
    jobs: Object.fromEntries(
      jobStates.map((name) => [name, sum(({ jobs }) => jobs[name])]),
    ) as QueueState['jobs'],
    unfinished: sum(({ unfinished }) => unfinished),
    isPaused: states.some(({ isPaused }) => isPaused),
    oldestSeconds: Math.max(...states.map(({ oldestSeconds }) => oldestSeconds)),
    failing: sum(({ failing }) => failing),
  };
}

/** Reads the state of a queue, in a few round trips and without the content of jobs. @throws when Redis is unavailable */
async function readQueueState(queue: Queue, redis: Redis): Promise<QueueState> {
  const [counts, isPaused, ids] = await Promise.all([
    queue.getJobCounts(...jobStates),
    queue.isPaused(),
    Promise.all(
      Object.entries(sampled).map(([state, count]) =>
        queue.getRanges([state as keyof typeof sampled], 0, count - 1, true),
      ),
    ),
  ]);
  const read = redis.pipeline();
  for (const id of ids.flat()) read.hmget(queue.toKey(id), 'timestamp', 'progress');
  const [time, answers] = await Promise.all([redis.time(), read.exec()]);
  const now = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
  let oldest = now;
  let failing = 0;
  for (const [error, values] of answers ?? []) {
    if (error) throw error;
    const [timestamp, progress] = values as [string | null, string | null];
    // A job may be removed before it is read.
    if (timestamp !== null) oldest = Math.min(oldest, Number(timestamp));
    if (progress !== null && isFailing(JSON.parse(progress))) failing += 1;
  }
  const jobs = counts as QueueState['jobs'];
  return {
    jobs,
    unfinished: jobs.waiting + jobs.prioritized + jobs.delayed + jobs.active,
    isPaused,
    oldestSeconds: Math.max(0, (now - oldest) / 1_000),
    failing,
  };
}

/**
 * Reads the state of the queue of the housekeeping tasks. A delayed job is the next run of a task: it is work only when it
 * is due. @throws when Redis is unavailable
 */
async function readTaskState(queue: Queue, redis: Redis): Promise<QueueState> {
  const [jobs, isPaused, schedulers, time] = await Promise.all([
    queue.getJobCounts(...jobStates),
    queue.isPaused(),
    queue.getJobSchedulers(0, -1, true),
    redis.time(),
  ]);
  const now = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
  const overdueMs = schedulers.map(({ next = now }) => now - next).filter((ms) => ms > 0);
  return {
    jobs: jobs as QueueState['jobs'],
    unfinished: overdueMs.length + (jobs['active'] ?? 0),
    isPaused,
    oldestSeconds: Math.max(0, ...overdueMs) / 1_000,
    failing: 0,
  };
}

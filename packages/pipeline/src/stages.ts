import type { RequestTrace } from '@rewardhook/process';

/**
 * The data of the jobs of each stage. Only `sync` jobs contain orders; the others contain ids of rows. `job-payload.ts`
 * adds the version and has the schema that a worker reads them with.
 */
export interface Jobs {
  /**
   * The orders of one request, with the version that the request was given. `orders` is the JSON array of the orders, which
   * nobody parses before PostgreSQL; `count` is their number.
   */
  sync: { merchantId: string; version: number; count: number; orders: string } & RequestTrace;
  /** A batch of orders is due for evaluation. `orders` is their number, for the dashboard. */
  'reward-evaluation': { merchantId: string; batchId: string; orders: number };
  /** An endpoint has deliveries that are due. */
  'webhook-delivery': { merchantId: string; endpointId: string };
}

/** The name of a stage: of its queue, its process and its metrics label. */
export type Stage = keyof Jobs;

/** A stage whose jobs are hints: they only name rows that are due. */
export type HintStage = Exclude<Stage, 'sync'>;

/** The queue options of a stage. */
export interface StageOptions {
  /**
   * Whether a job holds the only copy of accepted orders. Such jobs are never removed before they are done. The jobs of
   * the other stages are hints: the sweepers enqueue a removed one again.
   */
  onlyCopy: boolean;
  /** Attempts before a job counts as failed. */
  attempts: number;
  /** Maximum number of completed jobs kept for the dashboard; 0 where jobs contain orders. */
  keepCompleted: number;
  /** Maximum number of failed jobs kept; `all` where a job holds the only copy of accepted orders. */
  keepFailed: number | 'all';
  /** Jobs with the same key are one job while they wait. One that is added while another runs, runs after it. */
  dedupeBy?: (job: never) => string;
  /** The number of orders of a job, where merchants get equal shares of the stage; without it jobs run in order. */
  ordersOf?: (job: never) => number;
}

/** In practice no limit: the work remains to be done however long PostgreSQL is unavailable. */
const unlimited = 1_000_000;

/** The stage catalog: all settings of the queues. */
export const stages: {
  [S in Stage]: StageOptions & {
    dedupeBy?: (job: Jobs[S]) => string;
    ordersOf?: (job: Jobs[S]) => number;
  };
} = {
  sync: { onlyCopy: true, attempts: unlimited, keepCompleted: 0, keepFailed: 'all' },
  'reward-evaluation': {
    onlyCopy: false,
    attempts: unlimited,
    keepCompleted: 1_000,
    keepFailed: 1_000,
    dedupeBy: (job) => job.batchId,
    ordersOf: (job) => job.orders,
  },
  'webhook-delivery': {
    onlyCopy: false,
    attempts: unlimited,
    keepCompleted: 1_000,
    keepFailed: 1_000,
    dedupeBy: (job) => job.endpointId,
  },
};

/** The stages in the order of the data flow. */
export const stageNames = Object.keys(stages) as Stage[];

/** The name of the queue of the periodic tasks, and of its process. It is no stage: nothing waits for its jobs. */
export const housekeepingQueue = 'housekeeping';

/** The periodic tasks: the names of their job schedulers and of their jobs. */
export const housekeepingTasks = [
  'prune',
  'wipe-test-sides',
  'count-clicks',
  'count-attempts',
  'count-promises',
  'find-problems',
  'report-problems',
  'mail-notices',
  'mail-problems',
] as const;
export type HousekeepingTask = (typeof housekeepingTasks)[number];

/** Whether the jobs of a queue hold the only copy of accepted orders. True for a queue that is not in the catalog. */
export function holdsOnlyCopies(queueName: string): boolean {
  if (queueName === housekeepingQueue) return false;
  const stage = stageNames.find((name) => name === queueName);
  return stage === undefined || stages[stage].onlyCopy;
}

/** Maximum length of a queue's event stream, which Rewardhook does not read. */
export const keepEvents = 100;

/** For how many minutes the dashboard shows the numbers of completed and failed jobs. */
export const metricMinutes = 24 * 60;

/** Retry delay of a job in milliseconds: exponential backoff from 250 ms to at most 30 s. */
export function retryDelay(attemptsMade: number): number {
  return Math.min(30_000, 250 * 2 ** Math.min(attemptsMade - 1, 10));
}

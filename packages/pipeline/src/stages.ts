import type { Order } from '@rewardhook/contract';

/** The jobs of each stage. From `sync` on, jobs carry ids only: the row is the truth, the job a hint. */
export interface Jobs {
  /** The orders of one request, all or nothing, with the version the request was stamped with. */
  sync: { merchantId: string; version: number; orders: Order[] };
  /** "This batch waits to be judged"; `orders` is their number, for the dashboard. */
  'reward-evaluation': { merchantId: string; batchId: string; orders: number };
  /** "This endpoint has deliveries that are due." */
  'webhook-delivery': { merchantId: string; endpointId: string };
}

/** A stage's name: its queue, its process and its label in metrics. */
export type Stage = keyof Jobs;

/** How the queue of a stage treats its jobs. */
export interface StageOptions {
  /** Tries before a job is given up and kept as failed. */
  attempts: number;
  /** Most completed jobs that are kept for the dashboard; 0 where jobs carry orders. */
  keepCompleted: number;
  /** Most failed jobs that are kept; `all` where a job holds the only copy of what was accepted. */
  keepFailed: number | 'all';
  /** Jobs with the same key are one while they wait; one that comes while its twin runs, runs after it. */
  dedupeBy?: (job: never) => string;
}

/** Practically for ever: what a job stands for is still to be done, however long PostgreSQL is away. */
const always = 1_000_000;

/** The catalog of stages: everything that is set per queue is set here. */
export const stages: { [S in Stage]: StageOptions & { dedupeBy?: (job: Jobs[S]) => string } } = {
  sync: { attempts: always, keepCompleted: 0, keepFailed: 'all' },
  'reward-evaluation': {
    attempts: always,
    keepCompleted: 1_000,
    keepFailed: 1_000,
    dedupeBy: (job) => job.batchId,
  },
  'webhook-delivery': {
    attempts: always,
    keepCompleted: 1_000,
    keepFailed: 1_000,
    dedupeBy: (job) => job.endpointId,
  },
};

/** The stages in the order of the flow. */
export const stageNames = Object.keys(stages) as Stage[];

/** Most entries of a queue's event stream, which nothing of ours reads. */
export const keepEvents = 100;

/** Minutes for which the dashboard shows how many jobs of a queue completed and failed. */
export const metricMinutes = 24 * 60;

/** Delay before a job's next try in milliseconds: exponential from 250 ms, at most 30 s. */
export function retryDelay(attemptsMade: number): number {
  return Math.min(30_000, 250 * 2 ** Math.min(attemptsMade - 1, 10));
}

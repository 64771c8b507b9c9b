/** What a worker of a peer connects to, and how many jobs it runs at a time. */
export interface WorkerPlan {
  databaseUrl: string;
  redisUrl: string;
  /** The name of the queue or, for graphile-worker, of the task. */
  queue: string;
  concurrency: number;
  /** graphile-worker only: jobs that it fetches at a time. Undefined fetches and completes each for itself. */
  localQueue?: number | undefined;
}

import { createRedisBackend, Worker } from 'bullmq';
import type { BackendFactory, Job, Processor, RedisQueueBackend, WorkerOptions } from 'bullmq';

/**
 * A BullMQ worker that starts each job as soon as it has taken it. BullMQ takes jobs one after the other until its concurrency
 * is reached, and only then starts the first: with 48 jobs of 140 kB that takes most of a second (decision 069). The
 * concurrency of this worker is always one more than the number of jobs that it runs.
 */
export class PromptWorker extends Worker {
  readonly #most = this.concurrency;
  #running = 0;

  constructor(
    name: string,
    processor: Processor,
    options: WorkerOptions,
    createBackend: BackendFactory<RedisQueueBackend> = createRedisBackend,
  ) {
    super(name, processor, options, createBackend);
    this.limitJobs();
  }

  /** The number of jobs that run now. */
  get runningJobs(): number {
    return this.#running;
  }

  override async processJob(job: Job, token: string, mayTakeNext?: () => boolean): Promise<void | Job> {
    this.#running += 1;
    this.limitJobs();
    try {
      return await super.processJob(job, token, mayTakeNext);
    } finally {
      this.#running -= 1;
      this.limitJobs();
    }
  }

  /** Sets the concurrency for the number of jobs that run now. */
  protected limitJobs(): void {
    this.concurrency = Math.min(this.mostJobs(), this.#running + 1);
  }

  /** The most jobs that run at a time. */
  protected mostJobs(): number {
    return this.#most;
  }
}

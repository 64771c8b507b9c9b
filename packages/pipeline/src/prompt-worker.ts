import { Worker } from 'bullmq';
import type { Job, Processor, WorkerOptions } from 'bullmq';

/**
 * A BullMQ worker that starts each job as soon as it has it. BullMQ takes jobs one after the other, as many as run at a time,
 * and only then starts the first: with 48 jobs of 140 kB that is most of a second (decision 069). This worker may have one
 * job more than it is running.
 */
export class PromptWorker extends Worker {
  readonly #most = this.concurrency;
  #running = 0;

  constructor(name: string, processor: Processor, options: WorkerOptions) {
    super(name, processor, options);
    this.limitJobs();
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

  /** Sets how many jobs this worker may have now. */
  protected limitJobs(): void {
    this.concurrency = Math.min(this.mostJobs(), this.#running + 1);
  }

  /** The most jobs that run at a time. */
  protected mostJobs(): number {
    return this.#most;
  }
}

import { Job, Queue, Worker } from 'bullmq';
import type { JobJson } from 'bullmq';

/**
 * A BullMQ job whose data is the text that Redis has: it is neither parsed when the job is taken nor printed when it is
 * added.
 */
export class TextJob extends Job<string> {
  static override fromJSON<T = any, R = any, N extends string = string>(
    ...[queue, json, jobId]: Parameters<typeof Job.fromJSON>
  ): Job<T, R, N> {
    const job = super.fromJSON<T, R, N>(queue, { ...json, data: '""' }, jobId);
    job.data = json.data as T;
    return job;
  }

  override asJSON(): JobJson {
    const text = this.data;
    this.data = '';
    const json = super.asJSON();
    this.data = text;
    return { ...json, data: text };
  }
}

/** A queue that adds and returns jobs with their text. */
export class TextQueue extends Queue<string> {
  protected override get Job(): typeof Job {
    return TextJob as unknown as typeof Job;
  }
}

/** A worker that takes jobs with their text. */
export class TextWorker extends Worker {
  protected override get Job(): typeof Job {
    return TextJob as unknown as typeof Job;
  }
}

import { Job, Queue, Worker } from 'bullmq';
import type { JobJson } from 'bullmq';

/**
 * A BullMQ job whose data is the text that Redis has: it is neither parsed when the job is taken nor printed when it is
 * added. The text of a job that is added is given in UTF-8, and written to the connection as it is.
 */
export class TextJob extends Job<string | Buffer> {
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
    // ioredis writes a Buffer as it is, although BullMQ declares a string.
    json.data = text as string;
    return json;
  }
}

/** A queue that adds and returns jobs with their text. */
export class TextQueue extends Queue<Buffer> {
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

import { Job, Queue } from 'bullmq';

/**
 * A job as it is read by those who do not process it. Data that is not a JSON object, because somebody has damaged it in Redis,
 * is read as an empty object. BullMQ would throw an error that quotes the data, also to readers of all jobs.
 */
class InspectedJob extends Job {
  static override fromJSON<T = any, R = any, N extends string = string>(
    ...[queue, json, jobId]: Parameters<typeof Job.fromJSON>
  ): Job<T, R, N> {
    try {
      const job = super.fromJSON<T, R, N>(queue, json, jobId);
      if (isObject(job.data)) return job;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    return super.fromJSON<T, R, N>(queue, { ...json, data: '{}' }, jobId);
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A queue whose jobs are read and not processed. */
export class InspectedQueue extends Queue {
  protected override get Job(): typeof Job {
    return InspectedJob as unknown as typeof Job;
  }
}

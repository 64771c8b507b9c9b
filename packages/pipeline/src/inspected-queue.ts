import { Job, Queue } from 'bullmq';

/**
 * A job that is read and not processed. If its data is not a JSON object, because it was damaged in Redis, it is read as an empty
 * object. BullMQ would throw an error that quotes the data, so one damaged job would prevent reading the others.
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

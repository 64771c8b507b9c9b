import type { Job, Queue } from 'bullmq';

/** Jobs that are read at a time: one of `sync` can have 2 MiB. */
const pageSize = 10;

/** A job that is inspected and not processed. `job` is undefined when its data is not JSON, because it was damaged in Redis. */
export interface InspectedJob {
  id: string;
  job: Job | undefined;
}

/** Reads jobs by their ids, a few at a time. A job that ended meanwhile is missing. @throws when Redis is unavailable */
export async function* readJobs(queue: Queue, ids: string[]): AsyncGenerator<InspectedJob> {
  for (let start = 0; start < ids.length; start += pageSize) {
    const page = ids.slice(start, start + pageSize);
    const jobs = await Promise.all(page.map((id) => readJob(queue, id)));
    for (const job of jobs) if (job) yield job;
  }
}

/** Reads a job; undefined when it does not exist. @throws when Redis is unavailable */
export async function readJob(queue: Queue, id: string): Promise<InspectedJob | undefined> {
  try {
    const job = (await queue.getJob(id)) as Job | undefined;
    return job && { id, job };
  } catch (error) {
    // BullMQ parses the data, and the error quotes it.
    if (error instanceof SyntaxError) return { id, job: undefined };
    throw error;
  }
}

import { Job, Queue, Worker } from 'bullmq';
import type { JobJson, Processor, WorkerOptions } from 'bullmq';

/**
 * A BullMQ job whose data is the text that Redis has, in UTF-8: it is neither parsed when the job is taken nor printed when
 * it is added.
 */
export class TextJob extends Job<Buffer> {
  static override fromJSON<T = any, R = any, N extends string = string>(
    ...[queue, json, jobId]: Parameters<typeof Job.fromJSON>
  ): Job<T, R, N> {
    const job = super.fromJSON<T, R, N>(queue, { ...json, data: '""' }, jobId);
    job.data = Buffer.from(json.data) as T;
    return job;
  }

  override asJSON(): JobJson {
    const text: unknown = this.data;
    this.data = Buffer.alloc(0);
    const json = super.asJSON();
    this.data = text as Buffer;
    // ioredis writes a Buffer as it is, although BullMQ declares a string.
    json.data = text as string;
    return json;
  }
}

/** A queue that adds jobs with their text. */
export class TextQueue extends Queue<Buffer> {
  protected override get Job(): typeof Job {
    return TextJob as unknown as typeof Job;
  }
}

/** While the jobs of a process have at least this number of bytes, it takes no other one. */
const maxBytes = 32 * 1024 * 1024;

/** Jobs that a process takes at the same time. Their size, up to 10 MiB each, is known when they have arrived. */
const maxTakenTogether = 8;

/**
 * A worker that takes jobs with their text. It takes fewer at a time while they are large, so that the requests of one
 * merchant do not use up the memory of the process, which its workers share.
 */
export class TextWorker extends Worker {
  static readonly #workers = new Set<TextWorker>();
  static #bytes = 0;
  static #taking = 0;

  readonly #places = this.concurrency;

  constructor(name: string, processor: Processor, options: WorkerOptions) {
    super(name, processor, options);
    TextWorker.#workers.add(this);
    this.on('closed', () => TextWorker.#workers.delete(this));
  }

  protected override get Job(): typeof Job {
    return TextJob as unknown as typeof Job;
  }

  protected override createJob(json: JobJson, id: string): Job<Buffer> {
    const job = super.createJob(json, id);
    TextWorker.#hold(job.data.length);
    return job;
  }

  /** Runs a job, and takes the next one with the command that finishes it. */
  override async processJob(
    job: Job<Buffer>,
    token: string,
    mayTake: () => boolean = () => true,
  ): Promise<void | Job<Buffer>> {
    let taking = 0;
    const mayTakeNext = () => {
      TextWorker.#taking -= taking;
      const { length } = job.data;
      const hasMemory = TextWorker.#bytes - length < maxBytes && TextWorker.#taking < maxTakenTogether;
      taking = mayTake() && hasMemory ? 1 : 0;
      TextWorker.#taking += taking;
      return taking === 1;
    };
    try {
      return await super.processJob(job, token, mayTakeNext);
    } finally {
      TextWorker.#taking -= taking;
      TextWorker.#hold(-job.data.length);
    }
  }

  static #hold(bytes: number): void {
    TextWorker.#bytes += bytes;
    for (const worker of TextWorker.#workers)
      worker.concurrency = TextWorker.#bytes < maxBytes ? worker.#places : 1;
  }
}

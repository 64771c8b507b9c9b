import { freeMemory, openSemaphore } from '@rewardhook/process';
import { createRedisBackend, Job, Queue } from 'bullmq';
import type { BackendFactory, JobJson, Processor, RedisQueueBackend, WorkerOptions } from 'bullmq';
import { memoryOfOrders } from './job-payload.ts';
import { PromptWorker } from './prompt-worker.ts';

/** BullMQ's commands that return the next job. */
const commandsWithJob = new Set(['moveToActive', 'moveToFinished', 'moveToDelayed']);

/**
 * BullMQ's Redis backend, for a worker: the data of a job remains the Buffer that ioredis received. BullMQ would get a string,
 * which would have to be converted to a Buffer again.
 */
const createTextBackend: BackendFactory<RedisQueueBackend> = (...options) => {
  const backend = createRedisBackend(...options);
  const execCommand = backend.execCommand.bind(backend);
  backend.execCommand = (client, command, args): unknown => {
    if (!commandsWithJob.has(command)) return execCommand(client, command, args);
    // ioredis defines a second method for each script, with the suffix `Buffer`, which returns Buffers.
    const runCommand = (name: string, ofScript: unknown[]) => client.runCommand(`${name}Buffer`, ofScript);
    const reply = execCommand({ runCommand } as typeof client, command, args) as Promise<unknown>;
    return reply.then(readReply);
  };
  return backend;
};

/** Converts the Buffers in the reply of a command that returns the next job to strings, except the data of the job. */
function readReply(reply: unknown): unknown {
  if (!Array.isArray(reply)) return asText(reply);
  const [job, ...others] = reply as unknown[];
  const fields = Array.isArray(job)
    ? job.map((value: unknown, index) =>
        index % 2 === 1 && String(job[index - 1]) === 'data' ? value : asText(value),
      )
    : asText(job);
  // BullMQ compares the reply with 0, because error codes are negative. JavaScript would convert the array to a string for that,
  // with the whole job in it, twice because it is nested.
  return Object.assign([fields, ...others.map(asText)], { [Symbol.toPrimitive]: () => Number.NaN });
}

const asText = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString() : value);

/**
 * A BullMQ job whose data is the text that Redis stores, in UTF-8: it is neither parsed when the job is taken nor serialized
 * when it is added.
 */
export class TextJob extends Job<Buffer> {
  /** Bytes of memory that it takes while it runs. */
  bytes = 0;

  static override fromJSON<T = any, R = any, N extends string = string>(
    ...[queue, json, jobId]: Parameters<typeof Job.fromJSON>
  ): Job<T, R, N> {
    const job = super.fromJSON<T, R, N>(queue, { ...json, data: '""' }, jobId);
    // A string when the job was not taken by a worker. Data that somebody has deleted in Redis is '{}': such a job fails.
    const data: unknown = json.data;
    const text = Buffer.isBuffer(data) ? data : Buffer.from(data as string);
    job.data = text as T;
    (job as unknown as TextJob).bytes = memoryOfOrders(text);
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

/** A process that holds this number of bytes in jobs takes no more, except one from a queue of which it has none. */
const maxBytes = 16 * 1024 * 1024;

/**
 * The most jobs that a process takes at the same time, each with the command that finishes another; fewer while it holds
 * `largeFromBytes`, because large jobs are among them then. The size of a job is known only when it has arrived, and the largest
 * have 18 MB.
 */
const takenTogether = { most: 8, ofLarge: 1, largeFromBytes: maxBytes / 4 };

/**
 * A worker that takes jobs with their text. It takes fewer at a time while they are large, so that the requests of one
 * merchant do not use up the memory of the process, which its workers share.
 */
export class TextWorker extends PromptWorker {
  static readonly #workers = new Set<TextWorker>();
  static readonly #taking = openSemaphore({
    permits: () =>
      TextWorker.#bytes < takenTogether.largeFromBytes ? takenTogether.most : takenTogether.ofLarge,
  });
  static #bytes = 0;

  /** Of each job that may take the next one: the function that returns its permit. */
  readonly #permits = new Map<Job, () => void>();

  constructor(name: string, processor: Processor, options: WorkerOptions) {
    super(name, processor, options, createTextBackend);
    TextWorker.#workers.add(this);
    this.on('closed', () => TextWorker.#workers.delete(this));
  }

  protected override get Job(): typeof Job {
    return TextJob as unknown as typeof Job;
  }

  protected override createJob(json: JobJson, id: string): Job<Buffer> {
    const job = super.createJob(json, id);
    TextWorker.#hold((job as TextJob).bytes);
    return job;
  }

  /** Runs a job, and takes the next one with the command that finishes it. */
  override async processJob(
    job: Job<Buffer>,
    token: string,
    mayTake: () => boolean = () => true,
  ): Promise<void | Job<Buffer>> {
    const mayTakeNext = () => mayTake() && this.#permits.has(job) && TextWorker.#hasMemoryAfter(job);
    try {
      return await super.processJob(job, token, mayTakeNext);
    } finally {
      this.#permits.get(job)?.();
      this.#permits.delete(job);
      TextWorker.#hold(-(job as TextJob).bytes);
      freeMemory(job.data);
    }
  }

  /** Runs the handler of a job, then waits for the permit to take the next one. */
  protected override async callProcessJob(
    job: Job<Buffer>,
    token: string,
    signal?: AbortSignal,
  ): Promise<unknown> {
    try {
      return await super.callProcessJob(job, token, signal);
    } finally {
      if (!this.closing && TextWorker.#hasMemoryAfter(job))
        this.#permits.set(job, await TextWorker.#taking.acquire());
    }
  }

  static #hasMemoryAfter(job: Job<Buffer>): boolean {
    return TextWorker.#bytes - (job as TextJob).bytes < maxBytes;
  }

  static #hold(bytes: number): void {
    TextWorker.#bytes += bytes;
    for (const worker of TextWorker.#workers) worker.limitJobs();
  }

  protected override mostJobs(): number {
    return TextWorker.#bytes < maxBytes ? super.mostJobs() : 1;
  }
}

import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { validateSyncBodyFast } from '@rewardhook/contract';
import type { SyncRequestLimits, SyncRequestValidation } from '@rewardhook/contract';
import type { Logger } from '@rewardhook/process';
import { openFairQueue } from './fair-queue.ts';
import { hasOwnMemory } from '../http/own-memory.ts';
import type { ValidationTask } from './validation-thread.ts';

/** A body with at most this number of bytes is validated at once: that takes a fraction of a millisecond. */
const smallBytes = 16_384;

/**
 * A body with more bytes than this, about 100 orders, is validated in a thread. For a smaller one the exchange with the thread
 * would take a third more processor time (decision 064).
 */
const threadBytes = 65_536;

/** A body with more slow steps, which are mostly invalid fields, is validated in the thread too: they would take milliseconds. */
const maxSlowSteps = 32;

/** Iterations of the event loop between two bodies that it validates, for everything else. */
const iterationsBetween = 4;

/** When processors are scarce, big bodies wait rather than small requests: each step of niceness takes a fifth of its share. */
const threadNiceness = 5;

/** No body takes that long. A thread that does not answer is ended after this time, and the next body gets a new one. */
const threadTimeoutMs = 30_000;

/** The thread starts with the first big body, in about 0.2 s, and ends after this time without one. */
const threadIdleMs = 60_000;

/** The extension of this file and of the thread's file: `.ts` when run from source. */
const extension = extname(import.meta.filename);

/** Validates the bodies of order requests. */
export interface OrderValidator {
  /**
   * Validates a body, as `validateSyncBody` does. `onStart` is called before, when the
   * body need not wait for others any more; its error is thrown. The body may be empty afterwards: its bytes are moved to
   * the thread.
   * @throws when the thread fails
   */
  validate(
    merchantId: string,
    body: Buffer,
    options: { limits: SyncRequestLimits; onStart: () => void },
  ): Promise<SyncRequestValidation>;
  close(): Promise<void>;
}

/**
 * Opens the validation of a process. Bodies wait in two queues, in both of which merchants alternate: those of up to 64 KiB are
 * validated one at a time by the event loop, which does other work between two, and bigger ones by a thread, as are those with
 * many invalid fields. `threadFile` is for tests.
 */
export function openOrderValidator(
  log: Pick<Logger, 'error'>,
  threadFile = fileURLToPath(new URL(`./validation-thread${extension}`, import.meta.url)),
): OrderValidator {
  const onEventLoop = openFairQueue(iterationsBetween);
  const inThread = openFairQueue(0);
  const pool = new Piscina({
    filename: threadFile,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: threadIdleMs,
    niceIncrement: threadNiceness,
    recordTiming: false,
    ...(extension === '.ts' ? { execArgv: ['--import', 'tsx', '-C', 'source'] } : {}),
  });

  // A thread that fails while it starts has no task yet: without this, the task would wait for ever.
  let failTask = (_error: unknown) => {};
  let cleanUp: Promise<void> = Promise.resolve();
  pool.on('error', (error: unknown) => {
    log.error('the thread that validates big bodies failed', { error });
    cleanUp = pool.destroy();
    failTask(error);
  });

  const runInThread = (task: ValidationTask) =>
    new Promise<SyncRequestValidation>((resolve, reject) => {
      failTask = reject;
      const options = {
        transferList: [task.body.buffer as ArrayBuffer],
        signal: AbortSignal.timeout(threadTimeoutMs),
      };
      (pool.run(task, options) as Promise<SyncRequestValidation>).then(resolve, reject);
    });
  const validateInThread = async (body: Buffer, limits: SyncRequestLimits) => {
    const bytes = hasOwnMemory(body) ? body : new Uint8Array(body);
    const validation = await runInThread({ body: bytes, limits }).catch(async (error: unknown) => {
      // Until then the pool refuses the next body.
      await cleanUp;
      throw error;
    });
    // What arrives from a thread is a Uint8Array.
    if (validation.kind === 'valid')
      for (const part of validation.parts)
        part.pieces = part.pieces.map(({ buffer, byteOffset, byteLength }) =>
          Buffer.from(buffer, byteOffset, byteLength),
        );
    return validation;
  };

  return {
    async validate(merchantId, body, { limits, onStart }) {
      const validateFast = () => {
        onStart();
        return validateSyncBodyFast(body, limits, maxSlowSteps);
      };
      const validateHere = () =>
        body.length <= smallBytes ? validateFast() : onEventLoop.run(merchantId, validateFast);
      const validation = body.length <= threadBytes ? await validateHere() : undefined;
      if (validation) return validation;
      return inThread.run(merchantId, () => {
        onStart();
        return validateInThread(body, limits);
      });
    },
    close: () => pool.destroy(),
  };
}

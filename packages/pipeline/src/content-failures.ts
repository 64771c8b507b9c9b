import { UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import { TimeoutError } from '@rewardhook/process';
import { UnreadableJob } from './job-payload.ts';
import { isRedisUnavailable } from './redis.ts';
import { retryDelay } from './stages.ts';

/*
 * A job fails for one of two reasons. During an outage (a server is unavailable, read-only or full) it is retried as long
 * as it takes. A job that fails because of its content, or of our code, while the servers work, is parked after a bounded
 * number of tries: BullMQ keeps it among the failed jobs, where an operator retries it (docs/decisions/018).
 */

/** A job is parked after this number of failures that its content caused. A manual retry grants as many again. */
export const maxContentFailures = 10;

/** A job counts as failing from this number of such failures on. */
const failingAfter = 3;

/** The longest delay between two tries of a job that fails because of its content, in milliseconds. */
const maxContentDelayMs = 5_000;

/** What Redis stores with a job that has failed because of its content. */
interface Progress {
  contentFailures?: number;
}

/** A failure that the content of the job, or our code, caused. */
class ContentFailure extends Error {}

/** A handler throws this for a job that no retry can help before an operator has fixed the cause. It is parked at once. */
export class UnhandledJob extends Error {}

/** The job is parked: BullMQ no longer retries it. */
export class JobParked extends UnrecoverableError {}

/** Whether Redis could not serve a command, now: it is unavailable, or refused the command. */
function isRedisOutage(error: unknown): boolean {
  return (
    isRedisUnavailable(error) || error instanceof TimeoutError || (error as Error)?.name === 'ReplyError'
  );
}

/** Whether a job with this progress has failed several times because of its content. */
export function isFailing(progress: unknown): boolean {
  return failuresOf(progress) >= failingAfter;
}

function failuresOf(progress: unknown): number {
  return (progress as Progress | null)?.contentFailures ?? 0;
}

/**
 * Counts a failure of a job with its cause. Returns the error for BullMQ, in the size in which it may be stored:
 * `JobParked` after the last try. A job that this release cannot read has not failed because of its content: its error is
 * returned unchanged.
 */
export async function countFailure(
  job: Pick<Job, 'progress' | 'updateProgress'>,
  cause: unknown,
  isOutage: (error: unknown) => boolean,
): Promise<Error> {
  if (cause instanceof UnreadableJob) return cause;
  if (cause instanceof UnhandledJob) return truncateError(cause, JobParked);
  if (isRedisOutage(cause) || isOutage(cause)) return truncateError(cause, Error);
  const contentFailures = failuresOf(job.progress) + 1;
  await job.updateProgress({ contentFailures } satisfies Progress);
  return truncateError(cause, contentFailures % maxContentFailures === 0 ? JobParked : ContentFailure);
}

/** The delay before the next try of a job, in milliseconds; a parked job takes about 28 s until then. */
export function failureDelay(attemptsMade: number, error: unknown, progress: unknown): number {
  if (!(error instanceof ContentFailure)) return retryDelay(attemptsMade);
  return Math.min(maxContentDelayMs, retryDelay(failuresOf(progress) % maxContentFailures));
}

const maxMessageLength = 1_000;
const maxStackFrames = 20;

/**
 * The error in the size in which BullMQ may store it: BullMQ writes the message into the job, its stack and the event
 * stream. `cause` is the original error, for the log.
 */
function truncateError(cause: unknown, Type: new (message: string) => Error): Error {
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
  const truncated = new Type(message.slice(0, maxMessageLength));
  truncated.cause = cause;
  // BullMQ recognizes an error that it must not retry by its class or its name.
  if (!(truncated instanceof UnrecoverableError)) truncated.name = name;
  const frames = (stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  truncated.stack = [`${name}: ${truncated.message}`, ...frames.slice(0, maxStackFrames)].join('\n');
  return truncated;
}

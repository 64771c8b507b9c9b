import { housekeepingTasks, stageNames } from '@rewardhook/pipeline';
import type { AppJob } from '@bull-board/api/typings/app';
import { summarizeSends } from '../board/summarize-sends.ts';
import { shapeOf } from './shape-of.ts';
import { redactFailure, redactStack } from './redact-failure.ts';
import { showId } from './stage-fields.ts';
import { showFields } from './stage-fields.ts';

/** Replaces a name or an id that this service does not use. */
const hidden = 'hidden';

const jobNames = [...stageNames, ...housekeepingTasks];

/** A job that any role may read: built from values that are known to be harmless, never copied as a whole. */
export function redactJob(queue: string, job: AppJob): AppJob {
  const { attemptsStarted, deduplicationId, priority, progress, stacktrace, stalledCounter } = job;
  const name = jobNames.find((known) => known === job.name) ?? hidden;
  const sends = queue === 'webhook-delivery' ? summarizeSends(job.returnValue) : undefined;
  return {
    id: redactJobId(job.id),
    name: sends === undefined ? name : `${name}: ${sends}`,
    timestamp: job.timestamp,
    processedOn: job.processedOn,
    finishedOn: job.finishedOn,
    attempts: job.attempts,
    attemptsStarted,
    stalledCounter,
    delay: job.delay,
    priority,
    progress: typeof progress === 'number' ? progress : shapeOf(progress),
    data: showFields(queue, 'data', job.data),
    returnValue: showFields(queue, 'result', job.returnValue),
    opts: redactOptions(job.opts),
    // Made by the board's options, from ids of ours.
    externalUrl: job.externalUrl,
    isFailed: job.isFailed,
    failedReason: job.failedReason === undefined ? undefined : redactFailure(job.failedReason, stacktrace[0]),
    stacktrace: stacktrace.map(redactStack),
    deduplicationId: deduplicationId === undefined ? undefined : showId(deduplicationId),
  };
}

/**
 * Job ids are numbers of BullMQ, `v<version>` or `v<version>-<part>`, or `repeat:<task>:<time>` of its job schedulers; any
 * other id may contain anything.
 */
export function redactJobId(id: unknown): string {
  const text = String(id);
  return /^(?:(?:repeat:[a-z-]{1,30}:)?\d{1,20}|v\d{1,20}(?:-\d{1,6})?)$/.test(text) ? text : hidden;
}

const shownOptions = ['attempts', 'delay', 'priority', 'lifo', 'timestamp'];

function redactOptions(options: unknown): Record<string, unknown> {
  const shown = Object.entries(options ?? {}).filter(
    ([name, value]) =>
      shownOptions.includes(name) && (typeof value === 'number' || typeof value === 'boolean'),
  );
  return Object.fromEntries(shown);
}

import type { AppJob, AppQueue } from '@bull-board/api/typings/app';
import { stageNameOf } from './board-names.ts';
import { redactJob, redactJobId } from '../redaction/redact-job.ts';

/** Redacts the response of a route. `queue` and `jobId` are those of the path. */
export type Redact = (body: never, path: { queue: string; jobId: string }) => unknown;

const unchanged: Redact = (body) => body;
const queue = '/api/queues/:queueName';
const job = `${queue}/:jobId`;

/** The routes that read, with the redaction of their responses. A route that is not listed is refused. */
export const readingRoutes = new Map<string, Redact>([
  ['/api/redis/stats', unchanged],
  ['/api/queues', ({ queues }: { queues: AppQueue[] }) => ({ queues: queues.map(redactQueue) })],
  // No stage has schedulers; the content of one would have to be hidden.
  ['/api/job-schedulers', () => ({ schedulers: [] })],
  [`${queue}/metrics`, unchanged],
  [`${queue}/default-job-options`, unchanged],
  [`${queue}/workers`, unchanged],
  [`${queue}/rate-limit`, unchanged],
  [`${queue}/job-data-schema`, unchanged],
  [`${job}/logs`, (lines: string[]) => (lines.length > 0 ? [`${lines.length} lines, not shown`] : [])],
  // No stage has flows.
  [`${job}/flow`, (_body, { jobId }) => ({ nodeId: redactJobId(jobId), flowRoot: null, isFlowNode: false })],
  [
    job,
    (body: { job: AppJob; status: string }, path) => ({
      ...body,
      job: redactJob(stageNameOf(path.queue), body.job),
    }),
  ],
]);

/**
 * The routes that change something, for operators, with what they do to jobs. Those that write the content of jobs
 * (`add`, `update-data`, schedulers) are missing: an operator does not see the content, and a copy would be made of its
 * redacted form.
 */
export const changingRoutes = new Map<string, 'keeps jobs' | 'removes jobs'>([
  ['/api/queues/pause', 'keeps jobs'],
  ['/api/queues/resume', 'keeps jobs'],
  [`${queue}/retry/:queueStatus`, 'keeps jobs'],
  [`${queue}/promote`, 'keeps jobs'],
  [`${queue}/clean/:queueStatus`, 'removes jobs'],
  [`${queue}/pause`, 'keeps jobs'],
  [`${queue}/resume`, 'keeps jobs'],
  [`${queue}/concurrency`, 'keeps jobs'],
  [`${queue}/rate-limit`, 'keeps jobs'],
  [`${queue}/rate-limit/release`, 'keeps jobs'],
  [`${queue}/empty`, 'removes jobs'],
  [`${queue}/obliterate`, 'removes jobs'],
  [`${job}/retry`, 'keeps jobs'],
  [`${job}/clean`, 'removes jobs'],
  [`${job}/promote`, 'keeps jobs'],
  [`${job}/delay`, 'keeps jobs'],
  [`${job}/priority`, 'keeps jobs'],
]);

function redactQueue(shown: AppQueue): AppQueue {
  return { ...shown, jobs: shown.jobs.map((one) => redactJob(stageNameOf(shown.name), one)) };
}

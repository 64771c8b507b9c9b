import type { AppJob, AppQueue } from '@bull-board/api/typings/app';
import { redactJob, redactJobId } from '../redaction/redact-job.ts';

/** Makes the answer of a route fit to be seen. `queue` and `jobId` are those of the path. */
export type Redact = (body: never, path: { queue: string; jobId: string }) => unknown;

const asItIs: Redact = (body) => body;
const queue = '/api/queues/:queueName';
const job = `${queue}/:jobId`;

/** The routes that read, and what is left of their answers. A route that is not here is closed. */
export const readingRoutes = new Map<string, Redact>([
  ['/api/redis/stats', asItIs],
  ['/api/queues', ({ queues }: { queues: AppQueue[] }) => ({ queues: queues.map(redactQueue) })],
  // No stage has schedulers, and what one would put on a queue is not to be seen.
  ['/api/job-schedulers', () => ({ schedulers: [] })],
  [`${queue}/metrics`, asItIs],
  [`${queue}/default-job-options`, asItIs],
  [`${queue}/workers`, asItIs],
  [`${queue}/rate-limit`, asItIs],
  [`${queue}/job-data-schema`, asItIs],
  [`${job}/logs`, (lines: string[]) => (lines.length > 0 ? [`${lines.length} lines, not shown`] : [])],
  // Nor has any stage flows.
  [`${job}/flow`, (_body, { jobId }) => ({ nodeId: redactJobId(jobId), flowRoot: null, isFlowNode: false })],
  [job, (body: { job: AppJob; status: string }, path) => ({ ...body, job: redactJob(path.queue, body.job) })],
]);

/**
 * The routes that change something, for operators. Left out are those that write the content of jobs (`add`,
 * `update-data`, schedulers): an operator does not see it, and a duplicate would be made of its redacted form.
 */
export const changingRoutes = new Set([
  '/api/queues/pause',
  '/api/queues/resume',
  `${queue}/retry/:queueStatus`,
  `${queue}/promote`,
  `${queue}/clean/:queueStatus`,
  `${queue}/pause`,
  `${queue}/resume`,
  `${queue}/concurrency`,
  `${queue}/rate-limit`,
  `${queue}/rate-limit/release`,
  `${queue}/empty`,
  `${queue}/obliterate`,
  `${job}/retry`,
  `${job}/clean`,
  `${job}/promote`,
  `${job}/delay`,
  `${job}/priority`,
]);

function redactQueue(shown: AppQueue): AppQueue {
  return { ...shown, jobs: shown.jobs.map((one) => redactJob(shown.name, one)) };
}

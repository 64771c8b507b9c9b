import { TimeoutError } from '@rewardhook/process';
import {
  countFailure,
  failureDelay,
  JobParked,
  maxContentFailures,
  UnhandledJob,
} from './content-failures.ts';

/** A job that stores its progress as BullMQ does. */
function openJob() {
  const job = {
    progress: 0 as object | number,
    updateProgress: async (progress: object) => void (job.progress = progress),
  };
  return job as never;
}

const outage = new Error('the database system is in recovery mode');
const isOutage = (error: unknown) => error === outage;

describe('A failing job', () => {
  it('is parked by its tenth failure that its content caused, and a manual retry grants as many tries again', async () => {
    const job = openJob();
    const parked: boolean[] = [];
    for (let tries = 0; tries < 2 * maxContentFailures; tries += 1)
      parked.push((await countFailure(job, new Error('a lot'), isOutage)) instanceof JobParked);
    expect(parked.flatMap((isParked, index) => (isParked ? [index + 1] : []))).toEqual([10, 20]);
  });

  it('is retried without limit during an outage of PostgreSQL or Redis', async () => {
    const job = openJob();
    const reply = Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' });
    for (let tries = 0; tries < 20; tries += 1)
      for (const error of [outage, new TimeoutError('no answer'), reply])
        expect(await countFailure(job, error, isOutage)).not.toBeInstanceOf(JobParked);
  });

  it('is parked at once when its handler says that no retry can help', async () => {
    expect(await countFailure(openJob(), new UnhandledJob('unknown'), isOutage)).toBeInstanceOf(JobParked);
  });

  it('is tried ten times within half a minute, and less often during an outage', async () => {
    const job = openJob() as { progress: unknown };
    let waited = 0;
    for (let tries = 1; tries < maxContentFailures; tries += 1) {
      const failure = await countFailure(job as never, new Error('a lot'), isOutage);
      waited += failureDelay(tries, failure, job.progress);
    }
    expect(waited).toBeGreaterThan(20_000);
    expect(waited).toBeLessThan(30_000);
    expect(failureDelay(12, await countFailure(job as never, outage, isOutage), job.progress)).toBe(30_000);
  });

  it('keeps a bounded part of its error in Redis, with the original as the cause for the log', async () => {
    const cause = new RangeError(`no ${'x'.repeat(100_000)}`);
    const failure = await countFailure(openJob(), cause, isOutage);
    expect(failure.message).toHaveLength(1_000);
    expect(failure.cause).toBe(cause);
    expect(failure.stack?.split('\n').length).toBeLessThan(25);
  });
});

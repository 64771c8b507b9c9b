import { connectDatabase, findInstallationId } from '@rewardhook/database';
import { createTestDatabase } from '@rewardhook/testing/servers';
import { waitFor } from '@rewardhook/testing';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { openCleanup } from '../../../tests/harness/cleanup.ts';
import { testContext } from '../../../tests/harness/test-context.ts';
import { testLog } from '../../../tests/harness/test-log.ts';
import { connectHousekeeping } from './housekeeping.ts';
import type { TaskPlan } from './housekeeping.ts';
import { openQueueStates } from './queue-states.ts';
import { openHousekeepingQueue } from './queues.ts';
import { connectWorker, disconnect } from './redis.ts';
import type { Redis } from './redis.ts';

describe('The housekeeping tasks', () => {
  let database: TestDatabase;
  let redis: Redis;
  let prefix: string;
  let cleanup: ReturnType<typeof openCleanup>;
  let number = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    redis = connectWorker(String(process.env['TEST_REDIS_URL']), testLog);
  });
  beforeEach(() => {
    cleanup = openCleanup();
    prefix = `{housekeeping-${process.pid}-${(number += 1)}}`;
  });
  afterEach(() => cleanup.run());
  afterAll(async () => {
    await disconnect(redis);
    await database.drop();
  });

  const idle: TaskPlan = { everyMs: 3_600_000, run: async () => undefined };

  /** Starts a process with this task, which ends with `close` or at the end of the test. */
  function start(task: TaskPlan): { close(): Promise<void> } {
    const own = openCleanup();
    cleanup.add(() => own.run());
    const context = testContext('housekeeping', own);
    const pool = connectDatabase({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 2 }, context);
    const settings = {
      REDIS_URL: String(process.env['TEST_REDIS_URL']),
      QUEUE_PREFIX: prefix,
      QUEUE_SHARDS: 2,
    };
    connectHousekeeping(settings, context, () => findInstallationId(pool)).start({
      prune: idle,
      'wipe-test-sides': task,
      'count-clicks': idle,
      'count-attempts': idle,
      'count-promises': idle,
      'find-problems': idle,
      'report-problems': idle,
      'mail-notices': idle,
      'mail-problems': idle,
    });
    return { close: () => own.run() };
  }

  it('run one at a time in any number of processes, and a run that takes longer than the interval delays the next', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const task: TaskPlan = {
      everyMs: 50,
      async run() {
        most = Math.max(most, (running += 1));
        // Longer than three intervals.
        const until = performance.now() + 160;
        await waitFor(() => performance.now() > until, { everyMs: 10 });
        running -= 1;
        runs += 1;
      },
    };
    for (let process = 0; process < 3; process += 1) start(task);
    await waitFor(() => runs >= 8, { deadlineMs: 20_000, what: 'eight runs' });
    expect(most).toBe(1);
  });

  it('go on after a failed run, and in another process after one ends', async () => {
    let runs = 0;
    const failing = start({
      everyMs: 50,
      run: () => {
        runs += 1;
        return Promise.reject(new Error('refused by the test'));
      },
    });
    await waitFor(() => runs >= 3, { what: 'three runs' });
    await failing.close();
    let others = 0;
    start({ everyMs: 50, run: async () => void (others += 1) });
    await waitFor(() => others >= 3, { what: 'three runs of the other process' });
  });

  it('are scheduled again after Redis lost everything', async () => {
    let runs = 0;
    start({ everyMs: 100, run: async () => void (runs += 1) });
    await waitFor(() => runs > 0, { what: 'the first run' });
    const queue = openHousekeepingQueue(redis, prefix);
    cleanup.add(() => queue.close());
    // A run that begins meanwhile adds its scheduler again.
    const isEmpty = async () => {
      await queue.obliterate({ force: true });
      return (await queue.getJobSchedulersCount()) === 0;
    };
    await waitFor(isEmpty, { what: 'no schedulers' });
    const before = runs;
    await waitFor(() => runs > before + 3, { deadlineMs: 20_000, what: 'runs after the loss' });
  }, 30_000);

  it('count as overdue work only when no process takes them', async () => {
    const states = openQueueStates(redis, prefix);
    cleanup.add(() => states.close());
    let runs = 0;
    const only = start({ everyMs: 1_000, run: async () => void (runs += 1) });
    await waitFor(() => runs > 0, { what: 'the first run' });
    await waitFor(async () => (await states.read()).housekeeping.unfinished === 0, { what: 'no work' });
    await only.close();
    await waitFor(async () => (await states.read()).housekeeping.oldestSeconds > 1, {
      deadlineMs: 10_000,
      what: 'an overdue task',
    });
    expect((await states.read()).housekeeping.unfinished).toBe(1);
  });
});

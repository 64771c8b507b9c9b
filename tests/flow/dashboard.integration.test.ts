import { appRoutes } from '@bull-board/api/dist/routes.js';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { connectWorker, disconnect, openQueues } from '@rewardhook/pipeline';
import { readDashboardSettings } from '../../apps/dashboard/src/environment.ts';
import { startDashboard } from '../../apps/dashboard/src/start.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import { startWorkers } from '../harness/start-workers.ts';
import { testContext } from '../harness/test-context.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { waitForLocks } from '../../packages/database/src/fixtures/wait-for-locks.ts';
import { testLog } from '../harness/test-log.ts';

describe('An operator of the dashboard', () => {
  const password = 'a password of 12';
  const cleanup = openCleanup();
  let flow: Flow;
  let shop: Merchant;
  let dashboardUrl: string;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    cleanup.add(() => flow.close());
    const workers = await startWorkers(flow.environment, { sweepAfterSeconds: 1 });
    cleanup.add(() => workers.close());
    const settings = readDashboardSettings({
      REDIS_URL: flow.environment.redisUrl,
      QUEUE_PREFIX: flow.environment.prefix,
      DASHBOARD_OPERATOR_PASSWORD: password,
    });
    const { url } = await startDashboard(
      { ...settings, DASHBOARD_PORT: 0 },
      testContext('dashboard', cleanup),
    );
    dashboardUrl = url;
    shop = await flow.openMerchant();
  });
  afterAll(() => cleanup.run());

  async function send(method: string, path: string, body: object = {}) {
    const response = await fetch(`${dashboardUrl}/api/queues/${path}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      body: (await response.json().catch(() => ({}))) as { message?: string },
    };
  }
  const put = async (path: string) => {
    await waitFor(async () => (await send('put', path)).status === 200, { what: path });
  };

  /** Requests to every changing route of the board for one job of a queue. */
  function changes(queueName: string, jobId: string): { method: string; path: string }[] {
    const states = ['waiting', 'active', 'completed', 'failed', 'delayed', 'prioritized', 'paused'];
    const fill = (route: string, queueStatus: string) =>
      route
        .replace('/api/queues/', '')
        .replace(':queueName', queueName)
        .replace(':jobId', jobId)
        .replace(':schedulerId', 'any')
        .replace(':queueStatus', queueStatus);
    return appRoutes.api.flatMap(({ method, route }) => {
      const path = [route].flat()[0] ?? '';
      if (method === 'get' || !path.includes(':queueName')) return [];
      const used = path.includes(':queueStatus') ? states : ['waiting'];
      return used.map((state) => ({ method: String(method), path: fill(path, state) }));
    });
  }

  const storedOrders = () => flow.database.order.count({ where: { merchantId: shop.id } });

  it('cannot destroy accepted orders: after pause, 500 orders, every change, and resume, 500 are stored', async () => {
    await put('sync/pause');
    for (let request = 0; request < 50; request += 1)
      await flow.sync(shop, ...Array.from({ length: 10 }, () => buildOrder()));
    const [job] = await flow.queues.waiting('sync');
    const jobId = `v${(job as { version: number }).version}`;

    const refused = [];
    for (const { method, path } of changes('sync', jobId)) {
      if (path === 'sync/resume' || path === `sync/${jobId}/delay`) continue;
      const { status, body } = await send(method, path, {
        ...{ force: true, jobData: {}, name: 'sync', data: {}, options: {} },
        ...{ concurrency: 5, max: 1_000_000, duration: 1, priority: 1 },
      });
      if (status === 403) refused.push([path.replace(jobId, '1'), body.message]);
    }

    const cannotBeRemoved =
      'The jobs of this queue hold the only copy of accepted orders. They cannot be removed.';
    const cannotBeChanged = 'The content of jobs cannot be read or changed here.';
    expect(Object.fromEntries(refused)).toEqual({
      'sync/add': cannotBeChanged,
      'sync/clean/waiting': cannotBeRemoved,
      'sync/clean/active': cannotBeRemoved,
      'sync/clean/completed': cannotBeRemoved,
      'sync/clean/failed': cannotBeRemoved,
      'sync/clean/delayed': cannotBeRemoved,
      'sync/clean/prioritized': cannotBeRemoved,
      'sync/clean/paused': cannotBeRemoved,
      'sync/empty': cannotBeRemoved,
      'sync/obliterate': cannotBeRemoved,
      'sync/1/clean': cannotBeRemoved,
      'sync/1/update-data': cannotBeChanged,
      'sync/1/remove-unprocessed-children': cannotBeChanged,
      'sync/job-schedulers/any/remove': cannotBeChanged,
      'sync/job-schedulers/any': cannotBeChanged,
      'sync/job-schedulers/any/run': cannotBeChanged,
    });
    expect(await flow.queues.pending('sync')).toBe(50);
    expect(await storedOrders()).toBe(0);
    await put('sync/resume');
    await waitFor(async () => (await storedOrders()) === 500, { what: '500 stored orders' });
  });

  it('can remove jobs that are hints: the sweepers enqueue them again', async () => {
    const receiver = await flow.receiver(shop, 'reward.issue');
    await flow.link(shop, 'ann', 'bob');
    await put('reward-evaluation/pause');
    const order = buildOrder({ member_id: 'bob' });
    await flow.sync(shop, order);
    await waitFor(async () => (await flow.queues.pending('reward-evaluation')) > 0, { what: 'a job' });

    await put('reward-evaluation/empty');
    expect(await flow.queues.pending('reward-evaluation')).toBe(0);
    await put('reward-evaluation/resume');

    await waitFor(() => receiver.received.length >= 2, { deadlineMs: 20_000, what: 'the webhooks' });
  });
});

describe('A worker process that ends', () => {
  let flow: Flow;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
  });
  afterAll(() => flow.close());

  it.each([
    { stage: 'reward-evaluation', table: 'rewards' },
    { stage: 'webhook-delivery', table: 'replays' },
  ] as const)(
    'The process of $stage takes no more jobs while one of its sweepers waits for a lock on $table',
    async ({ stage, table }) => {
      const { environment, database } = flow;
      const redis = connectWorker(environment.redisUrl, testLog);
      const queues = openQueues(redis, environment.prefix, 1, [stage]);
      const takeJobs = async () => {
        const counts = await Promise.all(queues.map((queue) => queue.getWorkersCount()));
        return counts.some((count) => count > 0);
      };
      const workers = await startWorkers(environment, { stages: [stage] });
      let ended = Promise.resolve();
      try {
        await waitFor(takeJobs, { what: 'the workers' });
        await database.$transaction(async (tx) => {
          await tx.$executeRawUnsafe(`LOCK TABLE ${table}`);
          await waitForLocks(database, 1);
          ended = workers.close();
          // The sweeper gives up after 10 s.
          await waitFor(async () => !(await takeJobs()), {
            deadlineMs: 5_000,
            what: 'the end of the workers',
          });
        });
      } finally {
        await ended;
        await Promise.all(queues.map((queue) => queue.close()));
        await disconnect(redis);
      }
    },
  );
});

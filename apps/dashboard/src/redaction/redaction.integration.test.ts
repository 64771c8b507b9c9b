import { boardRequests } from '../../testing/board-requests.ts';
import { finishJobs } from '../../testing/finish-jobs.ts';
import { openDashboard } from '../../testing/open-dashboard.ts';
import type { TestDashboard } from '../../testing/open-dashboard.ts';

const url = process.env['TEST_REDIS_URL'] as string;
const merchantId = 'mer_0123456789ABCDEFGHIJKL';
const endpointId = 'whk_0123456789ABCDEFGHIJKL';
const statuses = ['latest', 'waiting', 'active', 'delayed', 'completed', 'failed', 'prioritized'];

/** Values that must not be displayed anywhere: a member id, an order id, a product and an amount. */
const markers = ['MARK-member', 'MARK_order', 'MARK product', '987654321'];
const marked = markers.join(' ');
const order = {
  order_id: 'MARK_order',
  member_id: 'MARK-member',
  order_amount: 987_654_321,
  items: [{ product_name: 'MARK product', price: 987_654_321 }],
};
const unknown = { 'MARK-member': marked, list: [order], amount: 987_654_321 };
const sqlError = Object.assign(
  new Error(
    `Raw query failed. Code: \`23505\`. Message: \`Key (member_id)=(${marked}) exists\`\n    at ${marked} (x:1:1)`,
  ),
  { name: 'PrismaClientKnownRequestError' },
);

describe('The data of members', () => {
  let dashboard: TestDashboard;
  const ids = new Map<string, string[]>();

  beforeAll(async () => {
    dashboard = await openDashboard(url);
    const add = async (queue: string, name: string, data: object, options: object = {}) => {
      const job = await dashboard.queue(queue).add(name, data, { attempts: 1, ...options });
      ids.set(queue, [...(ids.get(queue) ?? []), job.id as string]);
      return job;
    };
    const stages = {
      sync: { v: 1, merchantId, version: 7, count: 2, orders: JSON.stringify([order, order]) },
      'webhook-delivery': { merchantId, endpointId },
    };
    await add('sync', 'sync', stages.sync, { jobId: 'v7', delay: 3_600_000 });
    await add('webhook-delivery', 'webhook-delivery', stages['webhook-delivery']);
    await add('reward-evaluation', 'reward-evaluation', { merchantId, batchId: 'MARK_batch', orders: 3 });
    await finishJobs(dashboard, { attempts: 2, delivered: 1, ...unknown }, 'webhook-delivery');
    await finishJobs(dashboard, sqlError, 'reward-evaluation');
    for (const queue of ['sync', 'reward-evaluation']) {
      const job = await add(queue, marked, unknown, {
        jobId: marked,
        deduplication: { id: marked },
        delay: 3_600_000,
      });
      await job.updateProgress(unknown);
      await job.log(marked);
      await add(
        queue,
        queue,
        { merchantId: marked, version: marked, orders: marked, orderIds: unknown },
        { priority: 3 },
      );
      await add(queue, queue, [marked]);
    }
    await dashboard
      .queue('sync')
      .upsertJobScheduler('MARK-member', { every: 3_600_000 }, { name: marked, data: unknown });
  });
  afterAll(() => dashboard.close());

  const get = async (path: string, role: 'operator' | 'viewer' = 'viewer') =>
    dashboard.send(role, 'get', path);
  const job = async (queue: string, id: string) =>
    ((await get(`/api/queues/${queue}/${id}`)).body as { job: Record<string, unknown> }).job;

  it.each(['operator', 'viewer'] as const)(
    'No page and no response contains data of members for the role %s',
    async (role) => {
      const paths = new Set<string>();
      for (const [queueName, jobIds] of ids) {
        for (const status of statuses)
          paths.add(`/api/queues?activeQueue=${queueName}&status=${status}&page=1&jobsPerPage=10`);
        for (const jobId of jobIds)
          for (const { method, path } of boardRequests({ queueName, jobId, queueStatus: 'failed' }))
            if (method === 'get') paths.add(path);
      }
      expect(paths.size).toBeGreaterThan(70);
      for (const path of paths) {
        const { status, text, headers } = await get(path, role);
        expect({ path, served: status < 500 }).toEqual({ path, served: true });
        const seen = markers.filter((marker) => `${text}${JSON.stringify(headers)}`.includes(marker));
        expect({ path, seen }).toEqual({ path, seen: [] });
      }
    },
  );

  it('A refused request does not repeat data of members', async () => {
    for (const [queueName, jobIds] of ids)
      for (const { method, path } of boardRequests({
        queueName,
        jobId: jobIds.at(-1) ?? '',
        queueStatus: marked,
      })) {
        if (method === 'get' || /obliterate|empty|clean|pause|retry|promote/.test(path)) continue;
        const { text } = await dashboard
          .send('operator', method, path)
          .send({ runAt: marked, max: marked, jobData: unknown });
        expect({ path, seen: markers.filter((marker) => text.includes(marker)) }).toEqual({ path, seen: [] });
      }
  });

  it('The fields that operations need of each stage are displayed', async () => {
    expect(await job('sync', 'v7')).toMatchObject({
      id: 'v7',
      name: 'sync',
      data: { merchantId, version: 7, orders: 2 },
    });
    expect(await job('webhook-delivery', '1')).toMatchObject({
      data: { merchantId, endpointId },
      returnValue: { attempts: 2, delivered: 1 },
    });
    expect(await job('webhook-delivery', '1')).toMatchObject({
      name: 'webhook-delivery',
      externalUrl: { href: `https://console.example/webhooks/${endpointId}` },
    });
    expect(await job('reward-evaluation', '1')).toMatchObject({
      data: { merchantId, orders: 3 },
      isFailed: true,
    });
  });

  it('A job that delivered nothing says so in its title, and the ids in its link are ours', async () => {
    const add = async (data: object, result: object) => {
      const { id = '' } = await dashboard.queue('webhook-delivery').add('webhook-delivery', data);
      await finishJobs(dashboard, result, 'webhook-delivery');
      return job('webhook-delivery', id);
    };
    expect(
      await add({ merchantId, endpointId }, { attempts: 12, delivered: 0, breakerOpen: true }),
    ).toMatchObject({
      name: 'webhook-delivery: 0 of 12 delivered, breaker open',
      externalUrl: {
        displayText: 'Webhook in the console',
        href: `https://console.example/webhooks/${endpointId}`,
      },
    });
    const testSide = { merchantId: 'mer_test_0123456789ABCDEFGHIJKL', endpointId };
    expect(await add(testSide, { attempts: 1, delivered: 0, breakerOpen: false })).toMatchObject({
      name: 'webhook-delivery: 0 of 1 delivered',
      externalUrl: { href: `https://console.example/test/webhooks/${endpointId}` },
    });
    const unknownIds = { merchantId: marked, endpointId: `../${marked}` };
    expect(await add(unknownIds, { attempts: marked, delivered: 0 })).toMatchObject({
      name: 'webhook-delivery',
      externalUrl: { href: 'https://console.example/webhooks' },
    });
  });

  it('A failure is displayed with its class, its code and its position', async () => {
    const { failedReason, stacktrace } = await job('reward-evaluation', '1');
    const what = "PrismaClientKnownRequestError 23505 (the message is in the worker's log)";
    expect(failedReason).toBe(what);
    const [newest = ''] = stacktrace as string[];
    expect(newest.split('\n')[0]).toBe(what);
    expect(newest).toContain('    at apps/dashboard/src/redaction/redaction.integration.test.ts:');
  });

  it('Only the shape of an unknown value is displayed', async () => {
    expect(await job('sync', encodeURIComponent(marked))).toMatchObject({
      id: 'hidden',
      name: 'hidden',
      progress: 'an object of 3 fields',
      data: { merchantId: 'nothing', version: 'nothing', orders: 'nothing' },
      deduplicationId: 'a text',
    });
    expect((await get(`/api/queues/sync/${encodeURIComponent(marked)}/logs`)).body).toEqual([
      '1 lines, not shown',
    ]);
  });
});

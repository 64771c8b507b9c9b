import { buildOrder, waitFor } from '@rewardhook/testing';
import { callApi, syncPath } from '../harness/call-api.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { startFlow } from '../harness/start-flow.ts';
import { startPrivateRedis } from '../harness/private-redis.ts';
import { startWorkers } from '../harness/start-workers.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import type { PrivateRedis } from '../harness/private-redis.ts';
import { projectFile } from '../settings/deployment-files.ts';

jest.setTimeout(120_000);

/** Requests that wait in the queue. */
const waiting = 40;

describe('A Redis that is full', () => {
  const cleanup = openCleanup();
  let redis: PrivateRedis;
  let flow: Flow;
  let merchant: Merchant;
  beforeEach(async () => {
    redis = await startPrivateRedis();
    cleanup.add(() => redis.remove());
    flow = await startFlow({ workers: false, redisUrl: redis.url });
    cleanup.add(() => flow.close());
    merchant = await flow.openMerchant();
    // So that the reserve has the size of a small installation: scripts and connections of the workers need some megabytes.
    await redis.send('SETRANGE', 'another-program', 64_000_000, 'x');
    for (let request = 0; request < waiting; request += 1) await flow.sync(merchant, buildOrder());
  });
  afterEach(() => cleanup.run());

  const info = async (section: string, field: RegExp) =>
    Number(field.exec(String(await redis.send('INFO', section)))?.[1] ?? 0);
  /** Sets the limit so that this share of it is in use. */
  const fill = async (share: number) => {
    const used = await info('memory', /^used_memory:(\d+)/m);
    await redis.send('CONFIG', 'SET', 'maxmemory', Math.round(used / share));
  };
  const start = async () => {
    const workers = await startWorkers(flow.environment);
    cleanup.add(() => workers.close());
  };
  const stored = () => flow.database.order.count({ where: { merchantId: merchant.id } });
  const send = () => callApi(flow.url, syncPath, { orders: [buildOrder()] }, { key: merchant.secretKey });

  it('up to the reserve refuses orders, and drains: the workers need a part of what the API leaves free', async () => {
    await fill(0.85);
    await waitFor(async () => (await send()).status === 503, { what: 'orders to be refused' });
    // Those that were accepted before the API noticed count too.
    const accepted = await flow.queues.pending('sync');
    expect(accepted).toBeGreaterThanOrEqual(waiting);
    await start();
    await waitFor(async () => (await stored()) === accepted, { deadlineMs: 30_000, what: 'the orders' });
  });

  it('beyond its limit keeps every job, and drains after the one command of the runbook', async () => {
    const [command = '', more] =
      projectFile('docs/runbooks/RewardhookRedisFull.md').match(
        /(?<=^redis-cli -u "\$REDIS_URL" )config set .+$/gm,
      ) ?? [];
    expect([command, more]).toEqual([expect.stringMatching(/^config set maxmemory \d+gb$/), undefined]);

    await fill(1.2);
    await start();
    // The workers try, and Redis refuses to take jobs off the queue.
    await waitFor(async () => (await info('errorstats', /^errorstat_OOM:count=(\d+)/m)) > 5, {
      deadlineMs: 30_000,
      what: 'refused commands of the workers',
    });
    expect([await flow.queues.pending('sync'), await stored()]).toEqual([waiting, 0]);
    expect((await send()).status).toBe(503);

    await redis.send(...(command.split(' ') as [string, ...string[]]));
    await waitFor(async () => (await stored()) === waiting, { deadlineMs: 60_000, what: 'the orders' });
    expect(await flow.queues.pending('sync')).toBe(0);
    expect((await send()).status).toBe(202);
  });
});

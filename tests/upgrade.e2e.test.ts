import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RunningProcess } from '@rewardhook/local-stack';
import { freePort, temporaryFolder, waitFor } from '@rewardhook/testing';
import { removeStackData, startPostgres, startRedis, startStack } from '@rewardhook/testing/servers';
import type { Server, Stack } from '@rewardhook/testing/servers';
import { checkEverything } from './harness/service-under-load/checks/check-everything.ts';
import { waitUntilIdle } from './harness/service-under-load/checks/wait-until-idle.ts';
import { openMerchant } from './harness/service-under-load/open-merchant.ts';
import type { Merchant } from './harness/service-under-load/open-merchant.ts';
import { readRows } from './harness/read-rows.ts';
import { startLoad } from './harness/service-under-load/load/start-load.ts';
import type { Load } from './harness/service-under-load/load/start-load.ts';
import { buildNextRelease } from './deployment/build-next-release.ts';
import { bothRewards, orderToWebhook } from './harness/order-to-webhook.ts';
import { openQueueCounts } from './harness/queue-counts.ts';
import type { QueueCounts } from './harness/queue-counts.ts';
import { startHaproxy } from './shutdown/haproxy.ts';

jest.setTimeout(300_000);

const prefix = '{upgrade}';

describe('An upgrade and the way back, under load and behind a load balancer', () => {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder.path, name);
  const nextRelease = path('next');
  const secretsKey = randomBytes(32).toString('base64');
  const unexpectedExits: string[] = [];
  const stacks = new Map<string, Stack>();
  const merchants: Merchant[] = [];
  let postgres: Server;
  let redis: Server;
  let balancer: RunningProcess | undefined;
  let balancerPort: number;
  let queues: QueueCounts;
  let load: Load;

  beforeAll(async () => {
    buildNextRelease(nextRelease);
    postgres = await startPostgres({ dataDir: path('postgres'), password: 'p', fsync: false });
    redis = await startRedis({ dir: path('redis') });
    balancerPort = await freePort();
    queues = openQueueCounts(redis.url, prefix);
  });
  afterAll(async () => {
    await load?.stop().catch(() => undefined);
    for (const name of [...stacks.keys()]) await stop(name);
    await balancer?.stop();
    await Promise.all(merchants.flatMap(({ webhooks }) => webhooks.map(({ receiver }) => receiver.close())));
    await queues?.close();
    await redis?.stop();
    await postgres?.stop();
    for (const name of ['old', 'new', 'old-again']) removeStackData(path(name));
    folder.remove();
  });

  /** Migrates, and starts every process of a release. */
  async function start(name: string, checkout?: string): Promise<Stack> {
    const stack = await startStack({
      dataDir: path(name),
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      env: { SECRETS_KEY: secretsKey, QUEUE_PREFIX: prefix, LOG_LEVEL: 'warn' },
      ...(checkout === undefined ? {} : { checkout }),
      onChange: ({ name: process_, exit }) => {
        // Those of a stack that is stopped are not reported.
        if (exit)
          unexpectedExits.push(`${process_} of ${name} ended (${exit.signal ?? `code ${exit.code}`})`);
      },
    });
    stacks.set(name, stack);
    return stack;
  }
  /** Ends every process of a release with SIGTERM. */
  async function stop(name: string): Promise<void> {
    await stacks.get(name)?.stop();
    stacks.delete(name);
  }
  /** Lets the load balancer send requests to the APIs of these releases. */
  async function balance(...names: string[]): Promise<void> {
    await balancer?.stop();
    const ports = names.map((name) => Number(new URL(stacks.get(name)?.apiUrl ?? '').port));
    balancer = await startHaproxy({ folder: folder.path, port: balancerPort, serverPorts: ports });
  }
  /** Requests of the load are accepted, and an order of a new merchant becomes two webhooks. */
  async function carriesTraffic(stack: Stack): Promise<void> {
    const before = load.traffic.accepted;
    await waitFor(() => load.traffic.accepted >= before + 10, { deadlineMs: 60_000, what: 'ten requests' });
    const apiUrl = `http://127.0.0.1:${balancerPort}`;
    expect(await orderToWebhook({ apiUrl, environment: stack.environment })).toEqual(bothRewards);
  }
  const notes = () =>
    readRows<{ notes: string }>(postgres.url, "SELECT to_regclass('next_release_notes') AS notes");

  it('the old release carries traffic', async () => {
    const old = await start('old');
    merchants.push(await openMerchant(old, 'One'), await openMerchant(old, 'Two'));
    await balance('old');
    load = startLoad({
      apiUrl: `http://127.0.0.1:${balancerPort}`,
      merchants,
      seed: 1,
      senders: 1,
      ordersPerRequest: 10,
      pauseMs: 300,
    });
    await carriesTraffic(old);
    expect(await notes()).toEqual([{ notes: null }]);
  });

  it('the next release migrates meanwhile, and both carry traffic', async () => {
    const next = await start('new', nextRelease);
    await balance('old', 'new');
    await carriesTraffic(next);
    expect(await notes()).toEqual([{ notes: 'next_release_notes' }]);
  });

  it('the next release carries it alone', async () => {
    await stop('old');
    await carriesTraffic(stacks.get('new') as Stack);
  });

  it('the old release is started again on the newer schema, and carries it alone', async () => {
    const old = await start('old-again');
    await balance('new', 'old-again');
    await stop('new');
    await carriesTraffic(old);
    expect(await notes()).toEqual([{ notes: 'next_release_notes' }]);
  });

  it('no order is lost, no reward is given twice, every webhook arrived, and no process ended by itself', async () => {
    await load.stop();
    const stack = stacks.get('old-again') as Stack;
    await waitUntilIdle({ stack, queues }, 120_000);
    const { problems, deliveries } = await checkEverything({ stack, merchants, unexpectedExits });
    expect(problems).toEqual([]);
    expect(deliveries.distinct).toBeGreaterThan(0);
  });
});

import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import { callApi, syncPath } from './harness/call-api.ts';
import { openCleanup } from './harness/cleanup.ts';
import { spawnProcess, startProcess } from './harness/start-process.ts';
import { startFlow } from './harness/start-flow.ts';
import { startPrivateRedis } from './harness/private-redis.ts';
import type { Flow } from './harness/start-flow.ts';
import type { Merchant } from './harness/open-merchant.ts';
import type { PrivateRedis } from './harness/private-redis.ts';
import type { SpawnedProcess } from './harness/start-process.ts';

jest.setTimeout(110_000);

const cleanup = openCleanup();
afterEach(() => cleanup.run());

interface Production {
  redis: PrivateRedis;
  flow: Flow;
  merchant: Merchant;
}

/** An installation with its API in this process. */
async function startProduction(): Promise<Production> {
  const redis = await startPrivateRedis();
  cleanup.add(() => redis.remove());
  const flow = await startFlow({ workers: false, redisUrl: redis.url });
  cleanup.add(() => flow.close());
  return { redis, flow, merchant: await flow.openMerchant() };
}

/** The settings of an installation, with a database of its own. */
async function withOtherDatabase({ environment }: Flow): Promise<Flow['environment']> {
  const database = await createTestDatabase();
  cleanup.add(() => database.drop());
  // The databases of tests are copies of one database.
  await runSql(database.url, 'UPDATE installation SET id = gen_random_uuid()');
  return { ...environment, databaseUrl: database.url };
}

async function spawnWith(...given: Parameters<typeof spawnProcess>): Promise<SpawnedProcess> {
  const spawned = await spawnProcess(...given);
  cleanup.add(() => spawned.close());
  return spawned;
}

const stored = ({ flow, merchant }: Production) =>
  flow.database.order.count({ where: { merchantId: merchant.id } });

describe('A process with the database of another installation', () => {
  it('takes none of 300 orders, and ends with a message that names both installations', async () => {
    const production = await startProduction();
    const { flow, merchant, redis } = production;
    const staging = await withOtherDatabase(flow);
    const sync = await startProcess('sync', flow.environment);
    cleanup.add(() => sync.close());
    const others = await Promise.all([spawnWith('sync', staging), spawnWith('api', staging)]);
    for (let sent = 0; sent < 300; sent += 1)
      await flow.sync(merchant, buildOrder({ order_id: `o-${sent}` }));

    const { database } = (await flow.admin('installation show', {})) as { database: string };
    for (const other of others) {
      expect(await other.ended).toBe(1);
      expect(other.log()).toContain(`belong to the installation ${database}`);
      expect(other.log()).toMatch(/the PostgreSQL database is the installation [\da-f-]{36}\./);
    }
    await waitFor(async () => (await stored(production)) === 300, { deadlineMs: 30_000 });
    expect(await flow.admin('doctor', {})).toMatchObject({
      faults: { installationsDiffer: 0, processesLate: 0 },
    });
    expect(await redis.send('GET', `${flow.environment.prefix}:installation`)).toBe(database);
  });

  it('takes no order when Redis comes after it has started', async () => {
    const production = await startProduction();
    const { flow, merchant, redis } = production;
    await flow.sync(merchant, buildOrder());
    const staging = await withOtherDatabase(flow);
    await redis.kill('SIGKILL');
    const others = await Promise.all([spawnWith('sync', staging), spawnWith('api', staging)]);
    for (const other of others) {
      const answers = () =>
        fetch(`${other.url}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        );
      if (other === others[0]) await waitFor(answers, { deadlineMs: 25_000 });
      expect(await other.isReady()).toBe(false);
    }
    await redis.start();
    for (const other of others) expect(await other.ended).toBe(1);
    const sync = await startProcess('sync', flow.environment);
    cleanup.add(() => sync.close());
    await waitFor(async () => (await stored(production)) === 1, { deadlineMs: 30_000 });
  });

  it('is refused by the command line, except by the commands that show and change it', async () => {
    const { flow, merchant } = await startProduction();
    const { database: before } = (await flow.admin('installation show', {})) as { database: string };
    await flow.sync(merchant, buildOrder());
    // A restore of another database in place of this one.
    await flow.database.$executeRaw`UPDATE installation SET id = gen_random_uuid()`;
    await expect(flow.admin('queue list', {})).rejects.toThrow(`belong to the installation ${before}`);
    expect(await flow.admin('doctor', {})).toMatchObject({
      clean: false,
      faults: { installationsDiffer: 1 },
    });
    await expect(flow.admin('installation adopt', {})).rejects.toThrow(`--replaces ${before}`);
    await expect(flow.admin('installation adopt', { replaces: crypto.randomUUID() })).rejects.toThrow(before);
    await flow.admin('installation adopt', { replaces: before });
    const after = await flow.admin('installation show', {});
    expect(after['redis']).toBe(after['database']);
    expect(after['database']).not.toBe(before);
    const sync = await startProcess('sync', flow.environment);
    cleanup.add(() => sync.close());
    await flow.admin('queue list', {});
  });

  it('can be given an id of its own when it is a copy, and its queues stay its own', async () => {
    const { flow } = await startProduction();
    await waitFor(async () => (await flow.admin('installation show', {}))['redis'] !== null);
    const { database: copied } = (await flow.admin('installation show', {})) as { database: string };
    await flow.admin('installation adopt', { replaces: copied, 'new-id': 'true' });
    const after = await flow.admin('installation show', {});
    expect(after['redis']).toBe(after['database']);
    expect(after['database']).not.toBe(copied);
  });
});

it('An emptied Redis gets the installation id again, and a process that runs goes on', async () => {
  const production = await startProduction();
  const { flow, merchant, redis } = production;
  const sync = await startProcess('sync', flow.environment);
  cleanup.add(() => sync.close());
  await redis.send('FLUSHALL');
  const shown = () => flow.admin('installation show', {});
  await waitFor(async () => (await shown())['redis'] === (await shown())['database']);
  await flow.sync(merchant, buildOrder());
  await waitFor(async () => (await stored(production)) === 1, { deadlineMs: 20_000 });
  expect(sync.isRunning()).toBe(true);
});

it('Orders of a merchant that the database does not have are parked, and stored by "queue retry" when it has them', async () => {
  const production = await startProduction();
  const { flow, merchant } = production;
  await flow.sync(merchant, buildOrder({ order_id: 'kept' }));
  const known = await flow.openMerchant();
  await flow.sync(known, buildOrder());
  // The keys of the merchant follow its id.
  const rename = (from: string, to: string) =>
    flow.database.merchant.update({ where: { id: from }, data: { id: to } });
  await rename(merchant.id, 'mer_unknown');
  const sync = await startProcess('sync', flow.environment);
  cleanup.add(() => sync.close());
  const parked = async () =>
    (await flow.admin('queue parked', {})) as unknown as { error: string; orders: number }[];
  await waitFor(async () => (await parked()).length === 1, { deadlineMs: 20_000 });
  expect(await parked()).toMatchObject([
    {
      merchantId: merchant.id,
      orders: 1,
      tries: 1,
      error: expect.stringContaining('does not exist in the database') as string,
    },
  ]);
  await waitFor(async () => (await stored({ ...production, merchant: known })) === 1);
  expect(await stored(production)).toBe(0);
  await rename('mer_unknown', merchant.id);
  await flow.admin('queue retry', { queue: 'sync' });
  await waitFor(async () => (await stored(production)) === 1, { deadlineMs: 20_000 });
});

/** A Redis in front of another one, which answers the next `answers` commands SELECT with -BUSY and then closes nothing. */
async function startBusyRedis(
  target: string,
): Promise<{ url: string; busy: { answers: number }; cut(): void }> {
  const { hostname, port } = new URL(target);
  const busy = { answers: 0 };
  const clients = new Set<ReturnType<typeof connect>>();
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    clients.add(client);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      if (busy.answers === 0 || !/\$6\r\nselect\r\n/i.test(text)) return void upstream.write(chunk);
      busy.answers -= 1;
      client.write('-BUSY Redis is busy running a script.\r\n');
      upstream.write(Buffer.from(text.replace(/\*2\r\n\$6\r\nselect\r\n\$\d+\r\n\d+\r\n/i, ''), 'latin1'));
    });
    upstream.on('data', (chunk) => client.write(chunk));
    client.on('close', () => (clients.delete(client), upstream.destroy()));
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const cut = () => clients.forEach((client) => client.destroy());
  cleanup.add(cut);
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, busy, cut };
}

describe('A connection to Redis that is not in its database', () => {
  const keysOf = async (redis: PrivateRedis, database: number) => {
    const info = String(await redis.send('INFO', 'keyspace'));
    return Number(new RegExp(`^db${database}:keys=(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  };

  it.each([
    ['does not exist', (url: URL) => void (url.pathname = '/99')],
    [
      'is forbidden to the user',
      (url: URL) => {
        url.username = 'noselect';
        url.password = 'secret';
        url.pathname = '/1';
      },
    ],
  ])('is not used, and the process is not ready: the database %s', async (_why, change) => {
    const production = await startProduction();
    const { flow, merchant, redis } = production;
    await redis.send('ACL', 'SETUSER', 'noselect', 'on', '>secret', '~*', '&*', '+@all', '-select');
    await flow.sync(merchant, buildOrder());
    const before = await keysOf(redis, 0);
    const url = new URL(redis.url);
    change(url);
    const wrong = { ...flow.environment, redisUrl: url.href };
    const processes = await Promise.all([spawnWith('sync', wrong), spawnWith('api', wrong)]);
    for (const one of processes) {
      await waitFor(() => one.log().includes('Redis refuses the connection'), { deadlineMs: 25_000 });
      expect(one.log()).toMatch(/DB index is out of range|no permissions/);
    }
    const [, api] = processes as [SpawnedProcess, SpawnedProcess];
    const answer = () => callApi(api.url, syncPath, { orders: [buildOrder()] }, { key: merchant.secretKey });
    await waitFor(
      () =>
        answer().then(
          ({ status }) => status === 503,
          () => false,
        ),
      { deadlineMs: 20_000 },
    );
    for (const one of processes) expect(await one.isReady()).toBe(false);
    expect(await stored(production)).toBe(0);
    expect(await flow.queues.pending('sync')).toBe(1);
    expect(await keysOf(redis, 0)).toBe(before);
  });

  it('is not used after one BUSY, at the start and after a reconnect, and the process becomes ready', async () => {
    const production = await startProduction();
    const { flow, merchant, redis } = production;
    await flow.sync(merchant, buildOrder({ order_id: 'of-database-0' }));
    const before = await keysOf(redis, 0);
    const proxy = await startBusyRedis(redis.url);
    // Each process has several connections.
    proxy.busy.answers = 6;
    const environment = { ...flow.environment, redisUrl: `${proxy.url}/3` };
    const sync = await spawnWith('sync', environment);
    await waitFor(() => sync.isReady(), { deadlineMs: 25_000 });
    expect(proxy.busy.answers).toBe(0);
    proxy.busy.answers = 6;
    proxy.cut();
    await waitFor(() => proxy.busy.answers === 0, { deadlineMs: 20_000 });
    await waitFor(() => sync.isReady(), { deadlineMs: 25_000 });
    const inDatabase3 = await startFlow({ workers: false, redisUrl: `${redis.url}/3` });
    cleanup.add(() => inDatabase3.close());
    expect(await stored(production)).toBe(0);
    expect(await flow.queues.pending('sync')).toBe(1);
    expect(await keysOf(redis, 0)).toBe(before);
    expect(await keysOf(redis, 3)).toBeGreaterThan(0);
  });
});

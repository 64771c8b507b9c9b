import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectWorker, disconnect, openQueues } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import {
  addWebhook,
  buildOrder,
  createMerchant,
  openAdmin,
  removeStackData,
  startReceiver,
  startStack,
  waitFor,
} from '@rewardhook/local-stack';
import type { Stack, StackMerchant } from '@rewardhook/local-stack';
import { Pool } from 'pg';
import { runCommandLine } from '../../apps/admin/src/run-command-line.ts';
import { callApi, syncPath } from '../harness/call-api.ts';
import { testLog } from '../harness/test-log.ts';
import { becomeStandby } from './become-standby.ts';

// Real processes and servers. Doctor and the alerts are tested by six-faults.sweep.test.ts; this is what the processes do
// during a fault, and that no order is lost.
jest.setTimeout(180_000);

const withinMs = 60_000;

interface Report {
  clean: boolean;
  faults: Record<string, number>;
  queues: Record<string, Record<string, number | boolean>>;
}

describe('A fault of operation', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-faults-'));
  let stack: Stack;
  let shop: StackMerchant;
  let sql: Pool;
  let redis: Redis;
  let queues: ReturnType<typeof openQueues>;
  beforeAll(async () => {
    stack = await startStack({ dataDir, run: 'source', ports: 'auto' });
    shop = await createMerchant(openAdmin(stack.environment, 'source'), 'Faulty shop');
    sql = new Pool({ connectionString: stack.databaseUrl });
    sql.on('error', () => undefined);
    redis = connectWorker(stack.redisUrl, testLog);
    await waitFor(() => redis.status === 'ready', { everyMs: 5 });
    queues = openQueues(redis, '{rewardhook}');
  });
  afterAll(async () => {
    await Promise.all((queues ?? []).map((queue) => queue.close()));
    if (redis) await disconnect(redis);
    await sql?.end();
    await stack?.stop();
    removeStackData(dataDir);
  });

  const doctor = async () => {
    let text = '';
    const output = { out: (written: string) => void (text += written), warn: () => undefined };
    const code = await runCommandLine(['doctor'], { ...process.env, ...stack.environment }, output);
    return { code, ...(JSON.parse(text || '{}') as Report) };
  };
  const metrics = async (name: string) => (await fetch(`${stack.healthUrls[name]}/metrics`)).text();
  const readiness = async (name: string) => (await fetch(`${stack.healthUrls[name]}/health/ready`)).status;
  const send = (count = 1) =>
    callApi(
      stack.apiUrl,
      syncPath,
      { orders: Array.from({ length: count }, () => buildOrder()) },
      { key: shop.secretKey },
    );
  const stored = async () => Number((await sql.query('SELECT count(*) FROM orders')).rows[0].count);

  /** Waits until doctor exits with 1 because of the fault, and a process exports the metric of its alert. */
  const isReported = async (fault: string, metric: RegExp, by = 'reward-evaluation') => {
    await waitFor(
      async () => {
        const { code, faults } = await doctor();
        return code === 1 && (faults[fault] ?? 0) > 0;
      },
      { deadlineMs: withinMs, everyMs: 500, what: `doctor to report ${fault}` },
    );
    await waitFor(async () => metric.test(await metrics(by)), { deadlineMs: 15_000, what: String(metric) });
  };
  const isGone = (deadlineMs = 30_000) =>
    waitFor(async () => (await doctor()).code === 0, {
      deadlineMs,
      everyMs: 500,
      what: 'a clean system',
    });

  it('A paused queue is reported, restarts no worker, and stores every order once it is resumed', async () => {
    const [sync] = queues;
    const before = await stored();
    await sync?.pause();
    expect((await send(10)).status).toBe(202);
    await isReported('queuesPaused', /^rewardhook_queue_paused{queue="sync"} 1$/m);
    const report = await doctor();
    expect(report.queues['sync']).toMatchObject({ isPaused: true, unfinished: 1 });
    await sync?.resume();
    await waitFor(async () => (await stored()) === before + 10, { deadlineMs: 20_000, what: 'the orders' });
    await isGone();
    expect(stack.restarts('sync')).toBe(0);
  });

  it('A PostgreSQL that is read-only makes workers and console unready, not the API, and loses nothing', async () => {
    const before = await stored();
    const promote = await becomeStandby(stack);
    await isReported('databaseReadOnly', /^rewardhook_dependency_up{dependency="database"} 0$/m);
    for (const name of ['sync', 'reward-evaluation', 'webhook-delivery', 'console'])
      await waitFor(async () => (await readiness(name)) === 503, { what: `${name} to be unready` });
    expect(await readiness('api')).toBe(200);
    expect((await send()).status).toBe(202);
    // Jobs that are retried are delayed, not waiting: `unfinished` counts them too.
    const report = await doctor();
    expect(report.queues['sync']).toMatchObject({ unfinished: 1 });
    await promote();
    await waitFor(async () => (await stored()) === before + 1, { deadlineMs: 40_000, what: 'the order' });
    await isGone();
    expect(await readiness('sync')).toBe(200);
  });

  it('A full Redis makes the API unready', async () => {
    const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    // Far below what is used: with a limit near it, a write may still find room.
    await redis.config('SET', 'maxmemory', String(Math.floor(used / 2)));
    try {
      await isReported('redisFull', /^rewardhook_redis_state{state="full"} 1$/m, 'api');
      expect((await doctor()).faults).toMatchObject({ redisNotWritable: 1, processesLate: 0 });
      expect(await readiness('api')).toBe(503);
      expect((await send()).status).toBe(503);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await isGone();
    await waitFor(async () => (await readiness('api')) === 200, { what: 'a ready API' });
  });

  it('A poison job is parked with its orders, and a retry after the fix stores them', async () => {
    const before = await stored();
    const poison = { ...buildOrder(), order_amount: 'a lot' };
    const dataOf = (order: object) => ({
      v: 1,
      merchantId: shop.merchantId,
      version: 1,
      count: 1,
      orders: JSON.stringify([order]),
    });
    const job = await queues[0]?.add('sync', dataOf(poison), { jobId: 'poison' });
    expect((await send(3)).status).toBe(202);
    await isReported('jobsFailing', /^rewardhook_jobs_failing{queue="sync"} 1$/m);
    await isReported('jobsFailed', /^rewardhook_jobs_parked{queue="sync"} 1$/m);
    expect(await stored()).toBe(before + 3);
    const admin = openAdmin(stack.environment, 'source');
    expect(await admin('queue', 'parked')).toMatchObject([
      { queue: 'sync', id: 'poison', merchantId: shop.merchantId, orders: 1, tries: 10 },
    ]);
    await job?.updateData(dataOf({ ...poison, order_amount: 30_000 }));
    expect(await admin('queue', 'retry', '--queue', 'sync')).toEqual({ jobsRetried: 1 });
    await waitFor(async () => (await stored()) === before + 4, { deadlineMs: 20_000, what: 'the order' });
    await isGone();
  });

  it('A damaged job is parked, named by an erasure that it may concern, and removed by an operator', async () => {
    const admin = openAdmin(stack.environment, 'source');
    const before = await stored();
    // PostgreSQL is the first to parse the orders.
    const { merchantId } = shop;
    const damaged = JSON.stringify({ v: 1, merchantId, version: 1, count: 1, orders: '[Kim' });
    const sync = queues[0]!;
    await sync.pause();
    await sync.add('sync', {}, { jobId: 'damaged' });
    await redis.hset(sync.toKey('damaged'), 'data', damaged);
    await sync.resume();
    const orders = [buildOrder({ member_id: 'yuna' })];
    expect((await callApi(stack.apiUrl, syncPath, { orders }, { key: shop.secretKey })).status).toBe(202);
    await isReported('jobsFailed', /^rewardhook_jobs_parked{queue="sync"} 1$/m);
    await waitFor(async () => (await stored()) === before + 1, { what: 'the order of the other job' });
    const [parked] = (await admin('queue', 'parked')) as unknown as [Record<string, unknown>];
    expect(parked).toMatchObject({ id: 'damaged', merchantId, orders: 1 });
    expect(JSON.stringify(parked)).not.toContain('Kim');

    const erase = ['member', 'erase', '--merchant', shop.merchantId, '--member', 'yuna'];
    await waitFor(async () => (await doctor()).queues['reward-evaluation']?.['unfinished'] === 0, {
      what: 'evaluated orders',
    });
    await expect(admin(...erase)).rejects.toThrow(
      'Parked jobs of the queue sync cannot be read, and may contain orders of the member: damaged.',
    );
    const remaining = await sql.query("SELECT 1 FROM orders WHERE member_id = 'yuna'");
    expect(remaining.rows).toEqual([]);
    expect(await admin('queue', 'remove', '--queue', 'sync', '--job', 'damaged')).toEqual({
      jobsRemoved: [parked],
    });
    await isGone();
    const audit = await sql.query(
      'SELECT action, subject_id, details FROM audit_entries ORDER BY at DESC LIMIT 2',
    );
    expect(audit.rows).toEqual([
      {
        action: 'queue.changed',
        subject_id: 'sync',
        details: { jobsRemoved: [{ id: 'damaged', merchantId, orders: 1 }] },
      },
      {
        action: 'member.erased',
        subject_id: expect.stringMatching(/^erased-/),
        details: expect.anything(),
      },
    ]);
  });

  it('A webhook with a signing key that cannot be opened is parked, and a retry after the fix delivers', async () => {
    const admin = openAdmin(stack.environment, 'source');
    const receiver = await startReceiver({ signingSecret: shop.signingSecret });
    await addWebhook(admin, shop.merchantId, `${receiver.url}/hook`);
    const keys = await sql.query<{ id: string; secret: string }>('SELECT id, secret FROM signing_keys');
    await sql.query(
      "UPDATE signing_keys SET secret = overlay(secret placing 'AAAA' from length(secret) - 3)",
    );
    await admin(
      ...['member', 'link', '--merchant', shop.merchantId, '--referrer', 'jisu', '--referee', 'minsu'],
    );
    const orders = [buildOrder({ member_id: 'minsu' })];
    expect((await callApi(stack.apiUrl, syncPath, { orders }, { key: shop.secretKey })).status).toBe(202);
    await isReported('webhooksParked', /^rewardhook_endpoints_parked 1$/m);
    expect(receiver.received).toHaveLength(0);

    for (const { id, secret } of keys.rows)
      await sql.query('UPDATE signing_keys SET secret = $2 WHERE id = $1', [id, secret]);
    expect(await admin('queue', 'retry', '--queue', 'webhook-delivery')).toMatchObject({
      webhooksRetried: 1,
    });
    await waitFor(() => receiver.received.length === 2, { deadlineMs: 30_000, what: 'both webhooks' });
    await isGone();
    await receiver.close();
  });
});

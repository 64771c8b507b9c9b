import { randomBytes } from 'node:crypto';
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
  openLogFile,
  programArguments,
  removeStackData,
  startProcess,
  startReceiver,
  startStack,
  waitFor,
} from '@rewardhook/local-stack';
import type { ReceivedWebhook, Receiver, Stack, StackMerchant } from '@rewardhook/local-stack';
import { projectRoot } from '@rewardhook/testing';
import { Pool } from 'pg';
import { runCommandLine } from '../../apps/admin/src/run-command-line.ts';
import { callApi, callWithRetries, syncPath } from '../harness/call-api.ts';
import { testLog } from '../harness/test-log.ts';
import { becomeStandby } from './become-standby.ts';
import { firesAfter, isQuiet } from './check-alert.ts';
import { scrapeMetrics } from './scrape-metrics.ts';
import type { Samples } from './scrape-metrics.ts';

// Real processes and servers. Each fault is found by doctor and by an alert, and no order is lost.
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
  let quiet: Samples;
  let operator: Receiver;
  beforeAll(async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    operator = await startReceiver({ signingSecret: secret });
    stack = await startStack({
      dataDir,
      ports: 'auto',
      env: { OPERATOR_WEBHOOK_URL: `${operator.url}/problems`, OPERATOR_WEBHOOK_SECRET: secret },
    });
    shop = await createMerchant(openAdmin(stack.environment), 'Faulty shop');
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
    await operator?.close();
    removeStackData(dataDir);
  });

  const doctor = async () => {
    let text = '';
    const output = { out: (written: string) => void (text += written), warn: () => undefined };
    const code = await runCommandLine(['doctor'], { ...process.env, ...stack.environment }, output);
    return { code, ...(JSON.parse(text || '{}') as Report) };
  };
  const readiness = async (name: string) => (await fetch(`${stack.healthUrls[name]}/health/ready`)).status;
  const send = (count = 1) =>
    callApi(
      stack.apiUrl,
      syncPath,
      { orders: Array.from({ length: count }, () => buildOrder()) },
      { key: shop.secretKey },
    );
  const stored = async () => Number((await sql.query('SELECT count(*) FROM orders')).rows[0].count);

  beforeEach(async () => {
    // Processes remember what they have read for some seconds.
    const noAlertFires = async () => isQuiet((quiet = await scrapeMetrics(stack.healthUrls)));
    await waitFor(noAlertFires, { deadlineMs: withinMs, everyMs: 1_000, what: 'metrics without an alert' });
  });

  /** Waits until doctor exits with 1 because of the fault, and its alert fires. */
  const isReported = async (fault: string, alert: string) => {
    await waitFor(
      async () => {
        const { code, faults } = await doctor();
        return code === 1 && (faults[fault] ?? 0) > 0;
      },
      { deadlineMs: withinMs, everyMs: 500, what: `doctor to report ${fault}` },
    );
    const fires = async () => firesAfter(alert, quiet, await scrapeMetrics(stack.healthUrls));
    await waitFor(fires, { deadlineMs: withinMs, everyMs: 1_000, what: `the alert ${alert}` });
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
    await isReported('queuesPaused', 'RewardhookQueuePaused');
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
    await isReported('databaseReadOnly', 'RewardhookDatabaseUnavailable');
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
      await isReported('redisFull', 'RewardhookRedisFull');
      expect((await doctor()).faults).toMatchObject({ redisNotWritable: 1, processesLate: 0 });
      expect(await readiness('api')).toBe(503);
      expect((await send()).status).toBe(503);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await isGone();
    await waitFor(async () => (await readiness('api')) === 200, { what: 'a ready API' });
  });

  it('Jobs that always fail are parked with their orders: one is retried after the fix, a damaged one is removed', async () => {
    const admin = openAdmin(stack.environment);
    const before = await stored();
    const { merchantId } = shop;
    const dataOf = (orders: string) => ({ v: 1, merchantId, version: 1, count: 1, orders });
    const poison = { ...buildOrder(), order_amount: 'a lot' };
    const sync = queues[0]!;
    await sync.pause();
    const job = await sync.add('sync', dataOf(JSON.stringify([poison])), { jobId: 'poison' });
    // PostgreSQL is the first to parse the orders.
    await sync.add('sync', dataOf('[Kim'), { jobId: 'damaged' });
    await sync.resume();
    const orders = [buildOrder({ member_id: 'yuna' }), buildOrder(), buildOrder()];
    expect((await callWithRetries(stack.apiUrl, syncPath, { orders }, { key: shop.secretKey })).status).toBe(
      202,
    );
    await isReported('jobsFailing', 'RewardhookJobsFailing');
    await isReported('jobsFailed', 'RewardhookJobsParked');
    await waitFor(async () => (await sync.getFailedCount()) === 2, {
      deadlineMs: withinMs,
      what: 'both jobs',
    });
    expect(await stored()).toBe(before + 3);
    const parked = (await admin('queue', 'parked')) as unknown as Record<string, unknown>[];
    const described = { queue: 'sync', merchantId, orders: 1, tries: 10 };
    expect(parked.toSorted((a, b) => String(a['id']).localeCompare(String(b['id'])))).toMatchObject([
      { ...described, id: 'damaged' },
      { ...described, id: 'poison' },
    ]);
    expect(JSON.stringify(parked)).not.toContain('Kim');

    const erase = ['member', 'erase', '--merchant', merchantId, '--member', 'yuna', '--yes'];
    await waitFor(async () => (await doctor()).queues['reward-evaluation']?.['unfinished'] === 0, {
      what: 'evaluated orders',
    });
    await expect(admin(...erase)).rejects.toThrow(
      'Parked jobs of the queue sync cannot be read, and may contain orders of the member: damaged.',
    );
    const remaining = await sql.query("SELECT 1 FROM orders WHERE member_id = 'yuna'");
    expect(remaining.rows).toEqual([]);
    expect(await admin('queue', 'remove', '--queue', 'sync', '--job', 'damaged', '--yes')).toEqual({
      jobsRemoved: [parked.find(({ id }) => id === 'damaged')],
    });
    await job.updateData(dataOf(JSON.stringify([{ ...poison, order_amount: 30_000 }])));
    expect(await admin('queue', 'retry', '--queue', 'sync')).toEqual({ jobsRetried: 1 });
    await waitFor(async () => (await stored()) === before + 4, { deadlineMs: 20_000, what: 'the order' });
    await isGone();
    const audit = await sql.query(
      "SELECT action, subject_id FROM audit_entries WHERE action IN ('queue.changed', 'member.erased') ORDER BY at",
    );
    expect(audit.rows).toEqual([
      { action: 'member.erased', subject_id: expect.stringMatching(/^erased-/) },
      { action: 'queue.changed', subject_id: 'sync' },
      { action: 'queue.changed', subject_id: 'sync' },
    ]);
    const removal = await sql.query(
      "SELECT details FROM audit_entries WHERE action = 'queue.changed' ORDER BY at LIMIT 1",
    );
    expect(removal.rows).toEqual([{ details: { jobsRemoved: [{ id: 'damaged', merchantId, orders: 1 }] } }]);
  });

  it('A webhook with a signing key that cannot be opened is parked, and a retry after the fix delivers', async () => {
    const admin = openAdmin(stack.environment);
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
    expect((await callWithRetries(stack.apiUrl, syncPath, { orders }, { key: shop.secretKey })).status).toBe(
      202,
    );
    await isReported('webhooksParked', 'RewardhookWebhooksParked');
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

  describe('A receiver that does not accept its rewards', () => {
    let merchant: StackMerchant;
    let status: number;
    let receiver: Receiver;
    const admin = () => openAdmin(stack.environment);
    const endpoint = async () => {
      const { rows } = await sql.query<{ id: string; breaker: Date | null; disabled: Date | null }>(
        'SELECT id, breaker_opened_at AS breaker, disabled_at AS disabled FROM endpoints WHERE merchant_id = $1',
        [merchant.merchantId],
      );
      const [row] = rows;
      if (!row) throw new Error('the merchant has no webhook');
      return row;
    };
    /** Lets the time pass in which rewards are to be delivered. */
    const passLimit = () =>
      sql.query(
        "UPDATE deliveries SET created_at = created_at - interval '16 minutes' WHERE merchant_id = $1",
        [merchant.merchantId],
      );
    const delivered = async () => {
      const { rows } = await sql.query<{ open: number }>(
        "SELECT count(*)::int AS open FROM deliveries WHERE merchant_id = $1 AND state <> 'delivered'",
        [merchant.merchantId],
      );
      return rows[0]?.open === 0;
    };

    beforeEach(async () => {
      merchant = await createMerchant(admin(), 'Shop with a broken receiver');
      receiver = await startReceiver({ signingSecret: merchant.signingSecret, respond: () => status });
      await addWebhook(admin(), merchant.merchantId, `${receiver.url}/hook`);
      const friends = Array.from({ length: 6 }, (_, index) => `friend${index}`);
      for (const friend of friends)
        await admin()(
          ...['member', 'link', '--merchant', merchant.merchantId, '--referrer', 'jisu', '--referee', friend],
        );
      const orders = friends.map((friend) => buildOrder({ member_id: friend }));
      const accepted = await callWithRetries(stack.apiUrl, syncPath, { orders }, { key: merchant.secretKey });
      expect(accepted.status).toBe(202);
    });
    afterEach(async () => {
      await receiver.close();
      // A problem stays open for ten minutes, and its alert fires.
      await sql.query('DELETE FROM problems');
    });

    /** Waits until the operator is notified of a problem of the merchant, and its alert fires. */
    const isNotified = async (kind: string) => {
      const matches = ({ rawBody, verified }: ReceivedWebhook) => {
        const { data } = JSON.parse(String(rawBody)) as { data: { problem: Record<string, unknown> } };
        return (
          Boolean(verified) &&
          data.problem['kind'] === kind &&
          data.problem['merchant_id'] === merchant.merchantId
        );
      };
      await operator.waitFor(matches, withinMs);
      const alert = async () =>
        firesAfter('RewardhookMerchantProblem', quiet, await scrapeMetrics(stack.healthUrls));
      await waitFor(alert, { deadlineMs: withinMs, everyMs: 1_000, what: 'the alert of the problem' });
    };

    const findings = async (...options: string[]) => {
      let text = '';
      const output = { out: (written: string) => void (text += written), warn: () => undefined };
      const environment = { ...process.env, ...stack.environment };
      const code = await runCommandLine(['doctor', ...options], environment, output);
      const { promises } = JSON.parse(text) as { promises: { oldest: Record<string, unknown>[] } };
      return { code, oldest: promises.oldest };
    };

    it('with 500 opens its breaker, and is a finding after 15 minutes, but none of the service', async () => {
      status = 500;
      await waitFor(async () => Boolean((await endpoint()).breaker), {
        deadlineMs: withinMs,
        what: 'the breaker',
      });
      await isNotified('webhook_failing');
      await passLimit();
      await isReported('rewardsNotDelivered', 'RewardhookRewardsNotDelivered');
      expect((await findings()).oldest).toContainEqual(
        expect.objectContaining({ merchantId: merchant.merchantId, kind: 'delivered', holder: 'breaker' }),
      );
      expect(await findings('--scope', 'service')).toMatchObject({ code: 0 });
      status = 200;
      await sql.query('UPDATE endpoints SET send_after = now() WHERE merchant_id = $1', [
        merchant.merchantId,
      ]);
      await waitFor(delivered, { deadlineMs: withinMs, what: 'the rewards' });
      await isGone();
    });

    it('with 410 is disabled, and is a finding after 15 minutes until the webhook is enabled', async () => {
      status = 410;
      await waitFor(async () => Boolean((await endpoint()).disabled), {
        deadlineMs: withinMs,
        what: 'a disabled webhook',
      });
      await isNotified('webhook_disabled');
      await passLimit();
      await isReported('rewardsNotDelivered', 'RewardhookRewardsNotDelivered');
      expect((await findings()).oldest).toContainEqual(
        expect.objectContaining({ merchantId: merchant.merchantId, kind: 'delivered', holder: 'disabled' }),
      );
      status = 200;
      await admin()(
        ...['webhook', 'enable', '--merchant', merchant.merchantId, '--webhook', (await endpoint()).id],
      );
      await waitFor(delivered, { deadlineMs: withinMs, what: 'the rewards' });
      await isGone();
    });
  });

  it('A frozen worker is reported, and goes on where it was', async () => {
    const before = await stored();
    stack.kill('sync', 'SIGSTOP');
    try {
      expect((await send()).status).toBe(202);
      await isReported('processesLate', 'RewardhookProcessFrozen');
    } finally {
      stack.kill('sync', 'SIGCONT');
    }
    await waitFor(async () => (await stored()) === before + 1, { deadlineMs: 40_000, what: 'the order' });
    await isGone();
  });

  // The last one: processes remember it after it has ended.
  it('A worker with another SECRETS_KEY is reported', async () => {
    const other = await startProcess({
      command: process.execPath,
      args: programArguments('apps/webhook-delivery/main', 'built'),
      cwd: projectRoot,
      env: { ...process.env, ...stack.environment, SECRETS_KEY: randomBytes(32).toString('base64') },
      log: openLogFile(join(dataDir, 'logs', 'wrong-key.log')),
    });
    await isReported('processesWithWrongKey', 'RewardhookWrongSecretsKey').finally(() => other.stop());
  });
});

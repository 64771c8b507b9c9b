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
import { callApi, callWithRetries, syncPath } from '../harness/call-api.ts';
import { openStackAdmin, runStackAdmin } from '../harness/stack-admin.ts';
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
    shop = await createMerchant(openStackAdmin(stack.environment), 'Faulty shop');
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
    const { exitCode: code, document } = await runStackAdmin(stack.environment, ['doctor']);
    return { code, ...(document as Report) };
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

  it('A paused queue and a frozen worker are reported, restart no worker, and every order is stored once the queue is resumed', async () => {
    const [sync] = queues;
    const before = await stored();
    await sync?.pause();
    stack.kill('webhook-delivery', 'SIGSTOP');
    try {
      expect((await send(10)).status).toBe(202);
      await isReported('queuesPaused', 'RewardhookQueuePaused');
      await isReported('processesLate', 'RewardhookProcessFrozen');
      const report = await doctor();
      expect(report.queues['sync']).toMatchObject({ isPaused: true, unfinished: 1 });
    } finally {
      stack.kill('webhook-delivery', 'SIGCONT');
    }
    await sync?.resume();
    await waitFor(async () => (await stored()) === before + 10, { deadlineMs: 20_000, what: 'the orders' });
    await isGone();
    expect([stack.restarts('sync'), stack.restarts('webhook-delivery')]).toEqual([0, 0]);
  });

  it('A PostgreSQL that is a standby makes workers and console unready, not the API, and loses nothing', async () => {
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
    const admin = openStackAdmin(stack.environment);
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
    const admin = openStackAdmin(stack.environment);
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

  it(
    'Receivers that do not accept their rewards are findings after 15 minutes, but none of the service: 500 opens ' +
      'the breaker, 410 disables the webhook',
    async () => {
      const admin = openStackAdmin(stack.environment);
      const shops = await Promise.all(
        [
          { status: 500, kind: 'webhook_failing', holder: 'breaker' },
          { status: 410, kind: 'webhook_disabled', holder: 'disabled' },
        ].map(async ({ status, kind, holder }) => {
          const { merchantId, secretKey, signingSecret } = await createMerchant(admin, `Shop with ${status}`);
          const answer = { status };
          const receiver = await startReceiver({ signingSecret, respond: () => answer.status });
          const webhookId = await addWebhook(admin, merchantId, `${receiver.url}/hook`);
          const friends = Array.from({ length: 6 }, (_, index) => `friend${index}`);
          for (const friend of friends)
            await admin(
              ...['member', 'link', '--merchant', merchantId, '--referrer', 'jisu', '--referee', friend],
            );
          const orders = friends.map((friend) => buildOrder({ member_id: friend }));
          expect((await callWithRetries(stack.apiUrl, syncPath, { orders }, { key: secretKey })).status).toBe(
            202,
          );
          return { merchantId, kind, holder, answer, receiver, webhookId };
        }),
      );
      const ids = shops.map(({ merchantId }) => merchantId);
      const fires = (alert: string, labels: Record<string, string>) =>
        waitFor(async () => firesAfter(alert, quiet, await scrapeMetrics(stack.healthUrls), labels), {
          deadlineMs: withinMs,
          everyMs: 1_000,
          what: `the alert ${alert} ${JSON.stringify(labels)}`,
        });

      const isHeld = async () => {
        const { rows } = await sql.query<{ id: string }>(
          'SELECT merchant_id AS id FROM endpoints WHERE breaker_opened_at IS NOT NULL AND merchant_id = $1 OR disabled_at IS NOT NULL AND merchant_id = $2',
          ids,
        );
        return rows.length === 2;
      };
      await waitFor(isHeld, { deadlineMs: withinMs, what: 'an open breaker and a disabled webhook' });
      for (const { kind, merchantId } of shops) {
        // The operator is notified.
        await operator.waitFor(({ rawBody, verified }: ReceivedWebhook) => {
          const { data } = JSON.parse(String(rawBody)) as { data: { problem: Record<string, unknown> } };
          return (
            Boolean(verified) && data.problem['kind'] === kind && data.problem['merchant_id'] === merchantId
          );
        }, withinMs);
        await fires('RewardhookMerchantProblem', { kind });
      }

      // The time passes in which rewards are to be delivered.
      await sql.query(
        "UPDATE deliveries SET created_at = created_at - interval '16 minutes' WHERE merchant_id = ANY($1)",
        [ids],
      );
      const findings = async (...options: string[]) => {
        const { exitCode, document } = await runStackAdmin(stack.environment, ['doctor', ...options]);
        return { exitCode, oldest: (document as { promises: { oldest: object[] } }).promises.oldest };
      };
      const found = shops.map(({ merchantId, holder }) =>
        expect.objectContaining({ merchantId, kind: 'delivered', holder }),
      );
      await isReported('rewardsNotDelivered', 'RewardhookRewardsNotDelivered');
      expect((await findings()).oldest).toEqual(expect.arrayContaining(found));
      for (const { holder } of shops) await fires('RewardhookRewardsNotDelivered', { holder });
      expect(await findings('--scope', 'service')).toMatchObject({ exitCode: 0 });

      for (const { answer } of shops) answer.status = 200;
      const [failing, disabled] = shops;
      await sql.query('UPDATE endpoints SET send_after = now() WHERE id = $1', [failing?.webhookId]);
      if (!disabled) throw new Error('there is no disabled webhook');
      const { merchantId, webhookId } = disabled;
      await admin('webhook', 'enable', '--merchant', merchantId, '--webhook', webhookId);
      const delivered = async () => {
        const { rows } = await sql.query<{ open: number }>(
          "SELECT count(*)::int AS open FROM deliveries WHERE merchant_id = ANY($1) AND state <> 'delivered'",
          [ids],
        );
        return rows[0]?.open === 0;
      };
      await waitFor(delivered, { deadlineMs: withinMs, what: 'the rewards' });
      await isGone();
      await Promise.all(shops.map(({ receiver }) => receiver.close()));
      // A problem stays open for ten minutes, and its alert fires.
      await sql.query('DELETE FROM problems');
    },
  );

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

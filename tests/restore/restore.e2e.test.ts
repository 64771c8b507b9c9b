import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { openDatabase } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { addWebhook, createMerchant, startRedis, startStack } from '@rewardhook/testing/servers';
import { buildOrder, startReceiver, temporaryFolder, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import type { Server, Stack } from '@rewardhook/testing/servers';
import { redisCommand } from '../harness/redis-command.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { openStackAdmin } from '../harness/stack-admin.ts';
import { startRestorablePostgres } from './restorable-postgres.ts';
import type { RestorablePostgres } from './restorable-postgres.ts';

// As in production: separate processes, built code, servers that sync to the disk.
jest.setTimeout(180_000);

const prefix = '{restore}';
const cleanup = openCleanup();
let postgres: RestorablePostgres;
let redis: Server;
let redisFolder: string;
let stack: Stack;
let database: Database;
let receiver: Receiver;
const operatorSecret = `whsec_${Buffer.alloc(32, 'o').toString('base64')}`;
/** Where problems are reported. It refuses those that contain this text. */
let operator: Receiver;
let unreachableFor = '';
let merchantId: string;
let secretKey: string;

beforeAll(async () => {
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  postgres = await startRestorablePostgres(folder.path);
  cleanup.add(() => postgres.stop());
  redisFolder = join(folder.path, 'redis');
  redis = await startRedis({ dir: redisFolder });
  cleanup.add(() => redis.stop());
  operator = await startReceiver({
    signingSecret: operatorSecret,
    respond: ({ rawBody }) => (unreachableFor && String(rawBody).includes(unreachableFor) ? 500 : 204),
  });
  cleanup.add(() => operator.close());
  stack = await startStack({
    dataDir: join(folder.path, 'stack'),
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    env: {
      QUEUE_PREFIX: prefix,
      LOG_LEVEL: 'warn',
      OPERATOR_WEBHOOK_URL: `${operator.url}/problems`,
      OPERATOR_WEBHOOK_SECRET: operatorSecret,
    },
  });
  cleanup.add(() => stack.stop());
  database = openDatabase({ url: postgres.url, poolSize: 2, applicationName: 'restore test' });
  cleanup.add(() => database.$disconnect());
  const admin = openStackAdmin(stack.environment);
  const merchant = await createMerchant(admin, 'Restored shop');
  ({ merchantId, secretKey } = merchant);
  receiver = await startReceiver({ signingSecret: merchant.signingSecret });
  cleanup.add(() => receiver.close());
  await addWebhook(admin, merchantId, `${receiver.url}/hook`);
});
afterAll(() => cleanup.run());

/** Calls the API until it answers without a 503. */
function call(
  path: string,
  body?: object,
  key = secretKey,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const request = {
    method: body ? 'POST' : 'GET',
    headers: { 'x-service-key': key, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  };
  const answer = async () => {
    const response = await fetch(stack.apiUrl + path, request);
    if (response.status === 503) return undefined;
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return waitFor(answer, { deadlineMs: 60_000, everyMs: 100, what: `an answer of ${path}` });
}

const link = (referee: string) =>
  call('/api/open/members/link/', { referrer_member_id: 'ann', referee_member_id: referee });

/** Sends orders, and waits until they are stored and everything that follows from them is delivered. */
async function send(...orders: ReturnType<typeof buildOrder>[]): Promise<void> {
  const orderIds = orders.map(({ order_id }) => order_id);
  const [before] = await database.query<{ versions: string[] }>(
    `SELECT coalesce(array_agg(version::text), '{}') AS versions FROM orders WHERE order_id = ANY($1)`,
    [orderIds],
  );
  expect(await call('/api/open/orders/sync/', { orders })).toMatchObject({ status: 202 });
  const settled = async () => {
    const [row] = await database.query<{ settled: boolean }>(
      `SELECT NOT EXISTS (SELECT 1 FROM due_batches) AND NOT EXISTS (SELECT 1 FROM deliveries WHERE state = 'pending')
         AND (SELECT count(DISTINCT order_id) FROM decisions d JOIN orders o USING (merchant_id, order_id)
              WHERE d.order_version = o.version AND o.order_id = ANY($1) AND o.version::text <> ALL($2)) = $3 AS settled`,
      [orderIds, before?.versions, orders.length],
    );
    return row?.settled ?? false;
  };
  await waitFor(settled, {
    deadlineMs: 60_000,
    everyMs: 100,
    what: 'decisions and deliveries of the orders',
  });
}

/** The ids that the merchant sees, with what they stand for. */
async function listIds() {
  const query = async (sql: string) =>
    (await database.query<{ line: string }>(`${sql} ORDER BY 1`)).map(({ line }) => line);
  return {
    rewards: await query(`SELECT concat_ws(' ', id, order_id, role) AS line FROM rewards`),
    events: await query(`SELECT concat_ws(' ', id, type, reward_id) AS line FROM events`),
    deliveries: await query(`SELECT concat_ws(' ', id, event_id) AS line FROM deliveries`),
  };
}

/** Runs `doctor --after-restore` as an operator does. */
const doctor = (restoredTo = 'true') =>
  openStackAdmin(stack.environment)<Record<string, unknown>>('doctor', '--after-restore', restoredTo);

interface Page {
  events: { id: string }[];
  next: string;
  has_more: boolean;
}

/** Reads the feed to its end. */
async function readFeed(query = ''): Promise<{ ids: string[]; next: string }> {
  const ids: string[] = [];
  let page: Page;
  let path = `/api/open/events/?limit=7${query}`;
  do {
    const { status, body } = await call(path);
    expect(status).toBe(200);
    page = body['data'] as Page;
    ids.push(...page.events.map(({ id }) => id));
    path = `/api/open/events/?limit=7&after=${encodeURIComponent(page.next)}`;
  } while (page.has_more);
  return { ids, next: page.next };
}

const deliveryIds = () =>
  [...new Set(receiver.received.flatMap(({ deliveryId }) => deliveryId ?? []))].toSorted();
const paidOrder = (order_id: string, member_id: string) =>
  buildOrder({ order_id, member_id, paid_at: '2026-11-22T10:00:00+09:00' });

describe('PostgreSQL, restored from a copy of its files', () => {
  it('gives the orders that are sent again the same ids of rewards, events and deliveries, and no reader misses an event', async () => {
    const members = Array.from({ length: 22 }, (_none, index) => `member-${index}`);
    // The last five are linked after the copy, and again after the restore.
    for (const member of members.slice(0, 17)) await link(member);
    const [first, ...orders] = members.map((member) => paidOrder(`order-of-${member}`, member));
    await send(first as (typeof orders)[0]);
    const early = await readFeed();
    const restore = await postgres.copy();

    for (const member of members.slice(17)) await link(member);
    for (let from = 0; from < 21; from += 7) await send(...orders.slice(from, from + 7));
    const before = await listIds();
    const reader = await readFeed(`&after=${encodeURIComponent(early.next)}`);
    const received = deliveryIds();
    expect([before.rewards, before.events, received, reader.ids].map(({ length }) => length)).toEqual([
      44, 44, 44, 42,
    ]);

    await restore();
    expect((await listIds()).rewards).toHaveLength(2);
    expect(await doctor()).toMatchObject({ consistent: true, ordersStoredSince: null, feedReaders: 1 });
    const after = `/api/open/events/?after=${encodeURIComponent(reader.next)}`;
    const expired = { status: 410, body: { code: 'cursor_expired' } };
    expect(await call(after)).toMatchObject(expired);
    for (const member of members.slice(17)) await link(member);
    // In another order and in other requests than before.
    for (let from = 20; from >= 0; from -= 5) {
      await send(...orders.slice(Math.max(0, from - 4), from + 1));
      expect(await call(after)).toMatchObject(expired);
    }
    expect(await listIds()).toEqual(before);
    expect(deliveryIds()).toEqual(received);
    expect(receiver.received.length).toBeGreaterThan(received.length);

    // The merchant starts again, and continues: every event, and none that it does not know.
    const again = await readFeed();
    expect(again.ids.toSorted()).toEqual([...early.ids, ...reader.ids].toSorted());
    // A reader from before the restored moment continues without an error.
    expect((await readFeed(`&after=${encodeURIComponent(early.next)}`)).ids).toHaveLength(42);
  });
});

describe('Versions of orders', () => {
  const aheadOf = (hours: number) => String((Date.now() + hours * 3_600_000) * 1_000);
  const versionKey = `${prefix}:order-version`;
  const cancelled = (order: ReturnType<typeof buildOrder>) => ({
    ...order,
    cancelled_at: '2026-11-22T11:00:00+09:00',
  });
  const rewardStates = async (orderId: string) =>
    (await database.reward.findMany({ where: { merchantId, orderId } })).map(({ state }) => state);

  it('let a cancellation through after the clock of Redis was an hour ahead and Redis was emptied', async () => {
    await link('bob');
    const order = paidOrder('order-before-flush', 'bob');
    // The effect of a clock that is an hour ahead: the last version is.
    await redisCommand(redis.url, 'SET', versionKey, aheadOf(1));
    await send(order);
    await redisCommand(redis.url, 'FLUSHALL');
    await send(cancelled(order));
    expect(await rewardStates(order.order_id)).toEqual(['revoked', 'revoked']);
  });

  it('let a cancellation through after Redis was restored from an older append-only file', async () => {
    await link('bea');
    const order = paidOrder('order-before-old-file', 'bea');
    const older = `${redisFolder}-older`;
    const run = promisify(execFile);
    await redis.stop();
    await run('cp', ['-a', redisFolder, older]);
    const port = Number(new URL(redis.url).port);
    redis = await startRedis({ dir: redisFolder, port });
    await redisCommand(redis.url, 'SET', versionKey, aheadOf(2));
    await send(order);
    await redis.stop();
    await run('rm', ['-r', redisFolder]);
    await run('mv', [older, redisFolder]);
    redis = await startRedis({ dir: redisFolder, port });
    await send(cancelled(order));
    expect(await rewardStates(order.order_id)).toEqual(['revoked', 'revoked']);
  });
});

describe('Problems, after PostgreSQL was restored', () => {
  it('are those whose condition holds, and each is reported to the operator', async () => {
    const shop = await createMerchant(openStackAdmin(stack.environment), 'Shop with problems');
    const of = { where: { merchantId: shop.merchantId }, orderBy: { openedAt: 'asc' as const } };
    const list = () => database.problem.findMany(of);
    const problemsOf = (rows: Awaited<ReturnType<typeof list>>) =>
      rows
        .filter(({ resolvedAt }) => !resolvedAt)
        .map(({ kind, subject }) => (kind === 'requests_refused' ? `${kind} ${subject}` : kind))
        .toSorted();
    /** What the operator was notified of: the id of the event, and the problem. */
    const notified = () =>
      operator.received.flatMap(({ deliveryId, rawBody }) => {
        const { data } = JSON.parse(String(rawBody)) as { data: { problem: Record<string, unknown> } };
        const { problem } = data;
        return problem['merchant_id'] === shop.merchantId
          ? [
              {
                event: deliveryId,
                problem: problem['id'],
                subject: String(
                  problem['kind'] === 'requests_refused' ? problem['subject'] : problem['kind'],
                ),
              },
            ]
          : [];
      });
    const notifiedOf = (subject: string) => notified().filter((one) => one.subject === subject);
    const until = <T>(condition: () => T | Promise<T>, what: string) =>
      waitFor(condition, { deadlineMs: 60_000, everyMs: 250, what });
    const refuse = async (code: string, body: object) => {
      for (let sent = 0; sent < 12; sent += 1)
        expect((await call('/api/open/members/link/', body, shop.secretKey)).body).toMatchObject({ code });
    };
    const open = (count: number) =>
      until(async () => problemsOf(await list()).length === count, `${count} open problems`);

    // One that stays true, one that will not be true, and one that the operator has not heard of.
    unreachableFor = 'no_webhook';
    await database.signingKey.updateMany({
      where: { merchantId: shop.merchantId },
      data: { expiresAt: new Date(Date.now() + 3 * 86_400_000) },
    });
    await refuse('invalid_request', {});
    const friends = { referrer_member_id: 'ann', referee_member_id: 'friend' };
    expect(await call('/api/open/members/link/', friends, shop.secretKey)).toMatchObject({ status: 201 });
    const orders = [paidOrder('order-without-webhook', 'friend')];
    expect(await call('/api/open/orders/sync/', { orders }, shop.secretKey)).toMatchObject({ status: 202 });
    await open(3);
    await until(
      () => new Set(notified().map(({ problem }) => problem)).size === 3,
      'the calls, one of which is refused',
    );
    const restore = await postgres.copy();

    unreachableFor = '';
    await refuse('payload_too_large', { padding: 'x'.repeat(20_000) });
    await open(4);
    const notifyNow = () => database.$executeRaw`
      UPDATE problems SET notify_at = now() WHERE merchant_id = ${shop.merchantId} AND notify_at IS NOT NULL`;
    const allNotified = async () =>
      (await list()).every(({ notifyAt, notifiedAt }) => notifyAt === null && notifiedAt !== null);
    await notifyNow();
    await until(allNotified, 'the calls');
    const before = notified().length;

    await restore();
    for (const key of (await redisCommand(redis.url, 'KEYS', `${prefix}:refusals:*`)).split(','))
      await redisCommand(redis.url, 'HDEL', key, `${shop.merchantId} invalid_request`);
    await database.$executeRaw`
      UPDATE problems SET last_seen_at = last_seen_at - interval '11 minutes' WHERE merchant_id = ${shop.merchantId}`;
    await notifyNow();
    const renewed = ['no_webhook', 'requests_refused payload_too_large', 'signing_key_expiring'];
    await until(async () => isDeepStrictEqual(problemsOf(await list()), renewed), 'what is true');
    await until(async () => (await list()).some(({ resolvedAt }) => resolvedAt), 'the end of the other one');
    await until(allNotified, 'the calls');
    expect((await list()).map(({ openings }) => openings)).toEqual([1, 1, 1, 1]);
    // What the restored rows say was sent is not sent again; what they do not say is, with the same id where the row was restored.
    const again = notified().slice(before);
    expect(again.map(({ subject }) => subject).toSorted()).toEqual(['no_webhook', 'payload_too_large']);
    expect(new Set(notifiedOf('no_webhook').map(({ event }) => event)).size).toBe(1);
  }, 300_000);
});

describe('PostgreSQL, restored to a point in time', () => {
  it('has everything before that time, and the orders of after it get the same ids when they are sent again', async () => {
    for (const member of ['cleo', 'carl']) await link(member);
    const restoreUntil = await postgres.backUp();
    await send(paidOrder('order-of-cleo', 'cleo'));
    const [{ until } = { until: '' }] = await database.query<{ until: string }>(
      'SELECT clock_timestamp()::text AS until',
    );
    const early = await readFeed();
    await send(paidOrder('order-of-carl', 'carl'));
    const before = await listIds();
    const late = await readFeed(`&after=${encodeURIComponent(early.next)}`);
    await restoreUntil(until);
    const restored = await doctor();
    expect(restored).toMatchObject({
      consistent: true,
      jobs: { requests: 0, unknownMerchants: [] },
      deliveriesPending: 0,
    });
    expect(new Date(String(restored['missingSince'])).getTime()).toBeLessThanOrEqual(
      new Date(until).getTime(),
    );
    expect(await doctor(new Date(until).toISOString())).toMatchObject({ ordersStoredSince: 0 });
    expect(
      await database.order.findMany({ where: { orderId: { in: ['order-of-cleo', 'order-of-carl'] } } }),
    ).toMatchObject([{ orderId: 'order-of-cleo' }]);
    await send(paidOrder('order-of-carl', 'carl'));
    expect(await listIds()).toEqual(before);
    // The same events have the same positions again, so the reader has missed nothing.
    expect(await readFeed(`&after=${encodeURIComponent(late.next)}`)).toEqual({ ids: [], next: late.next });
  });
});

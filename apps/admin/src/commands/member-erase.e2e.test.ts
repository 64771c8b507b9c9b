import { countPromises } from '@rewardhook/database/operations';
import { connectWorker, disconnect, toPayload } from '@rewardhook/pipeline';
import { buildOrder, freePort, hoursAgo, waitFor } from '@rewardhook/testing';
import { linkPath, syncPath } from '../../../../tests/harness/call-api.ts';
import { openCleanup } from '../../../../tests/harness/cleanup.ts';
import { openProblemSearch } from '../../../../tests/harness/open-problem-search.ts';
import { openSyncQueue } from '../../../../tests/harness/open-sync-queue.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { testLog } from '../../../../tests/harness/test-log.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

/** An id that occurs nowhere by chance. */
const ann = 'ann-Xq7';
let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
const cleanup = openCleanup();
afterEach(() => cleanup.run());
afterAll(() => flow.close());

const run = (name: string, options: Record<string, string> = {}) =>
  flow.admin(name, { merchant: merchant.id, ...options });
const erase = (options: Record<string, string> = {}) => run('member erase', { member: ann, ...options });
const order = (member_id: string, fields: object = {}) => buildOrder({ member_id, ...fields });
const ofMerchant = () => ({ where: { merchantId: merchant.id } });

/** The columns of any table that contain the text, as `table.column`. */
async function columnsWith(text: string): Promise<string[]> {
  const columns = await flow.database.$queryRaw<{ table: string; column: string }[]>`
    SELECT table_name AS table, column_name AS column FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY')`;
  expect(columns.length).toBeGreaterThan(40);
  const found = await Promise.all(
    columns.map(async ({ table, column }) => {
      const [row] = await flow.database.$queryRawUnsafe<{ found: boolean }[]>(
        `SELECT EXISTS (SELECT 1 FROM "${table}" WHERE strpos("${column}"::text, $1) > 0) AS found`,
        text,
      );
      return row?.found ? [`${table.replace(/_(p\d{8}|default)$/, '')}.${column}`] : [];
    }),
  );
  return [...new Set(found.flat())].sort();
}

/** The keys in Redis whose value contains the text. */
async function keysWith(text: string): Promise<string[]> {
  const redis = connectWorker(flow.environment.redisUrl, testLog);
  await waitFor(() => redis.status === 'ready', { everyMs: 5 });
  try {
    // A compressed dump could contain the text in parts.
    await redis.config('SET', 'rdbcompression', 'no');
    const keys = await redis.keys(`${flow.environment.prefix}:*`);
    const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    return keys.filter((key, index) => key.includes(text) || dumps[index]?.includes(text));
  } finally {
    await disconnect(redis);
  }
}

/** The rewards by state, role and unit, and the sum of the program. */
const rewardTotals = () => flow.database.$queryRaw`
  SELECT p.spent, w.state, w.role, w.unit, count(*), sum(w.amount), count(DISTINCT w.member_id) AS members
  FROM programs p LEFT JOIN rewards w ON w.merchant_id = p.merchant_id
  WHERE p.merchant_id = ${merchant.id} GROUP BY 1, 2, 3, 4 ORDER BY 2, 3`;

/** Rex referred Ann, who referred Bob. All of them have orders, and one reward of Ann was revoked. A link of Dan to Ann waits. */
async function createAnnsHistory(): Promise<{ code: string; orderIds: string[] }> {
  const code = String((await flow.boot(merchant, { user_id: ann })).body.data['referral_code']);
  await flow.database.click.create({ data: { id: `clk-${merchant.id}`, merchantId: merchant.id, code } });
  await flow.link(merchant, 'rex', ann);
  await flow.boot(merchant, { user_id: 'bob', referral_code: code });
  const rexCode = (await flow.boot(merchant, { user_id: 'rex' })).body.data['referral_code'];
  await flow.boot(merchant, { user_id: 'dan', referral_code: rexCode });
  const link = { referrer_member_id: ann, referee_member_id: 'dan' };
  expect((await flow.call(linkPath, link, { key: merchant.secretKey })).status).toBe(409);
  const first = order(ann, { order_date: hoursAgo(3) });
  const second = order(ann, { order_date: hoursAgo(2) });
  const bobs = order('bob');
  await flow.syncAndSettle(merchant, first, second, bobs);
  await flow.syncAndSettle(merchant, { ...first, cancelled_at: hoursAgo(1) });
  return { code, orderIds: [first, second, bobs].map(({ order_id }) => order_id) };
}

/** Moves rows to the next partition, and others to the default one, as if they were of other days. */
async function spreadOverPartitions(): Promise<void> {
  const { database } = flow;
  const move = (table: string, time: string, days: string) =>
    database.$executeRawUnsafe(
      `UPDATE ${table} SET ${time} = ${time} + make_interval(days => (${days})::int) WHERE merchant_id = $1`,
      merchant.id,
    );
  const spread = (number: string) => `CASE ${number} % 3 WHEN 0 THEN 0 WHEN 1 THEN 9 ELSE -40 END`;
  // The events of one reward stay in their order.
  const days = (event: string) => `(
    SELECT ${spread('r.number')} FROM events e JOIN (
      SELECT reward_id, row_number() OVER (ORDER BY min(sequence)) AS number
      FROM events WHERE merchant_id = $1 GROUP BY reward_id
    ) r ON r.reward_id = e.reward_id
    WHERE e.merchant_id = $1 AND e.id = ${event})`;
  await move('deliveries', 'event_created_at', days('deliveries.event_id'));
  await move('events', 'created_at', days('events.id'));
  await move('attempts', 'started_at', spread('abs(hashtext(delivery_id::text))'));
  // Clicks that are older than 37 days may be pruned during the test.
  await move('clicks', 'clicked_at', '-30');
  const used = await database.$queryRaw<{ parts: number }[]>`
    SELECT count(DISTINCT tableoid)::int AS parts FROM events WHERE merchant_id = ${merchant.id}
    UNION ALL SELECT count(DISTINCT tableoid)::int FROM attempts WHERE merchant_id = ${merchant.id}`;
  expect(used.every(({ parts }) => parts > 1)).toBe(true);
}

describe('member erase', () => {
  it('removes the id and the code from every column of every table and from Redis, and keeps rewards and sums', async () => {
    const receiver = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    const { code, orderIds } = await createAnnsHistory();
    await flow.database.attempt.updateMany({ ...ofMerchant(), data: { responseBody: `thanks for ${ann}` } });
    await spreadOverPartitions();
    const before = { totals: await rewardTotals(), events: await flow.database.event.findMany(ofMerchant()) };
    expect(receiver.received.length).toBeGreaterThanOrEqual(6);
    expect(await columnsWith(ann)).toEqual([
      'attempts.response_body',
      'decisions.member_id',
      'events.body',
      'members.member_id',
      'orders.member_id',
      'referrals.referee_member_id',
      'referrals.referrer_member_id',
      'rewards.member_id',
      'waiting_links.referrer_member_id',
    ]);
    expect(await columnsWith(code)).toEqual([
      ...['clicks.code', 'events.body', 'members.code', 'referrals.code', 'waiting_links.code'],
    ]);
    expect(await keysWith(ann)).toEqual([]);
    await keepCompleted(dataOf([order(ann, { order_id: orderIds[0] })]));
    expect(await keysWith(ann)).not.toEqual([]);

    const { tombstone, replaced, deliveriesCancelled } = (await erase()) as {
      tombstone: string;
      replaced: object;
      deliveriesCancelled: number;
    };
    expect(tombstone).toMatch(/^erased-[0-9A-Za-z]{22}$/);
    expect(replaced).toMatchObject({ members: 1, referrals: 3, orders: 2, clicks: 1 });
    expect(deliveriesCancelled).toBe(0);
    expect(await columnsWith(ann)).toEqual([]);
    expect(await columnsWith(code)).toEqual([]);
    expect(await keysWith(ann)).toEqual([]);
    expect(await rewardTotals()).toEqual(before.totals);
    await countPromises(flow.database);
    // The doctor counts only orders and deliveries of a certain age.
    await flow.database.$executeRaw`UPDATE orders SET updated_at = now() - interval '1 hour'`;
    await flow.database.$executeRaw`UPDATE referrals SET linked_at = now() - interval '1 hour'`;
    expect(await flow.admin('doctor', {})).toMatchObject({ clean: true });
    for (const { id, body } of before.events) {
      const now = await flow.database.event.findFirstOrThrow({ where: { ...ofMerchant().where, id } });
      expect(now.body).toBe(body.replaceAll(ann, tombstone).replaceAll(code, tombstone));
    }
  });

  it('leaves problems without the id, the code and the URL, and their numbers follow what it has cancelled', async () => {
    // In the URLs, so that it is not the id that other tests look for.
    const zoe = 'zoe-Vb3';
    const find = await openProblemSearch(flow, cleanup);
    const problems = async () =>
      (await run('problem list'))['problems'] as { kind: string; number: number }[];
    const events = 'reward.issue,reward.revoke';
    await run('merchant update', { 'require-user-hash': 'false' });
    await flow.receiver(merchant, events, { respond: () => 410 }, `/${zoe}`);
    await run('webhook add', { url: `http://127.0.0.1:${await freePort()}/${zoe}`, events });
    await flow.link(merchant, 'rex', zoe);
    const code = String((await flow.boot(merchant, { user_id: zoe })).body.data['referral_code']);
    await flow.boot(merchant, { user_id: 'bob', user_hash: undefined, referral_code: code });
    await flow.syncAndSettle(merchant, order(zoe));
    for (let sent = 0; sent < 10; sent += 1)
      await flow.call(syncPath, { orders: [{ order_id: zoe }] }, { key: merchant.secretKey });
    const ofEndpoints = async () => await flow.database.endpoint.findMany(ofMerchant());
    await waitFor(
      async () => (await ofEndpoints()).every((one) => one.disabledAt !== null || one.failuresInARow > 0),
      { deadlineMs: 20_000, what: 'an attempt at each webhook' },
    );
    await flow.database.endpoint.updateMany({
      where: { merchantId: merchant.id, disabledAt: null },
      data: { breakerOpenedAt: new Date() },
    });
    const found = async () => {
      await find();
      return Object.fromEntries((await problems()).map(({ kind, number }) => [kind, number]));
    };
    await waitFor(async () => Object.keys(await found()).length === 4, {
      deadlineMs: 20_000,
      what: 'four problems',
    });
    const before = {
      referrals_to_review: 1,
      requests_refused: 10,
      webhook_disabled: 2,
      webhook_failing: expect.any(Number) as number,
    };
    expect(await found()).toEqual(before);

    const { tombstone } = await erase({ member: zoe, force: 'true' });
    expect(await found()).toEqual({ ...before, webhook_disabled: 0 });
    const rows = JSON.stringify([await problems(), await flow.database.problem.findMany()], (_key, value) =>
      typeof value === 'bigint' ? String(value) : (value as unknown),
    );
    for (const text of [zoe, code, String(tombstone), '127.0.0.1']) expect(rows).not.toContain(text);
  });

  it('treats a later order or boot call with the old id as that of an unknown member', async () => {
    const { code } = await createAnnsHistory();
    const rewards = await flow.database.reward.count(ofMerchant());
    await erase();
    await flow.syncAndSettle(merchant, order(ann, { first_order: true }));
    expect(await flow.database.reward.count(ofMerchant())).toBe(rewards);
    const again = (await flow.boot(merchant, { user_id: ann })).body.data;
    expect(again['referral_code']).not.toBe(code);
    const carl = await flow.boot(merchant, { user_id: 'carl', referral_code: code });
    expect(carl.body.data['link']).toBe('unknown_code');
    expect(await run('member show', { member: ann })).toMatchObject({ referredBy: null, referralCount: 0 });
    await erase();
    expect(await columnsWith(ann)).toEqual([]);
  });

  it('changes neither another merchant nor an order whose id is the id of the member', async () => {
    const other = await flow.openMerchant();
    await flow.link(other, 'rex', '7');
    await flow.syncAndSettle(other, order('7'));
    const at = { where: { merchantId: other.id }, orderBy: { id: 'asc' as const } };
    const before = [await flow.database.reward.findMany(at), await flow.database.event.findMany(at)];
    await flow.link(merchant, 'rex', '7');
    await flow.syncAndSettle(merchant, order('7', { order_id: '7' }));
    const { tombstone } = await run('member erase', { member: '7' });
    expect([await flow.database.reward.findMany(at), await flow.database.event.findMany(at)]).toEqual(before);
    const [event] = await flow.database.event.findMany(ofMerchant());
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      data: { order: { order_id: '7' }, referral: { referee_member_id: tombstone } },
    });
  });

  it('erases members with any characters in their id, and members who only have orders', async () => {
    const odd = 'o"dd\\김 %_😀';
    await flow.syncAndSettle(merchant, order(odd));
    expect((await run('member erase', { member: odd }))['replaced']).toMatchObject({ members: 0, orders: 1 });
    await flow.link(merchant, 'rex', odd);
    await flow.syncAndSettle(merchant, order(odd));
    const { tombstone } = await run('member erase', { member: odd });
    for (const { body } of await flow.database.event.findMany(ofMerchant())) {
      expect(body).not.toContain(JSON.stringify(odd).slice(1, -1));
      expect(JSON.parse(body).data.referral.referee_member_id).toBe(tombstone);
    }
  });

  it('is refused while deliveries are still to be sent, and cancels them first with --force true', async () => {
    const receiver = await flow.receiver(merchant, 'reward.issue', { respond: () => 500 });
    await flow.link(merchant, 'rex', ann);
    await flow.syncAndSettle(merchant, order(ann));
    await waitFor(() => receiver.received.length === 2, { what: 'both webhooks' });
    await flow.queues.settled();
    await expect(erase()).rejects.toThrow('2 deliveries that name the member are still to be sent');
    await expect(erase({ force: 'please' })).rejects.toThrow('--force must be true or false');
    expect(await flow.database.order.count({ where: { merchantId: merchant.id, memberId: ann } })).toBe(1);
    expect(await erase({ force: 'true' })).toMatchObject({ deliveriesCancelled: 2 });
    const deliveries = await flow.database.delivery.findMany(ofMerchant());
    expect(deliveries.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(await columnsWith(ann)).toEqual([]);
  });

  it('is refused while an order is due for evaluation or not stored yet', async () => {
    const { orderIds } = await createAnnsHistory();
    for (const orderId of [orderIds[1], orderIds[2]] as [string, string]) {
      const { id } = await flow.database.dueBatch.create({
        data: { merchantId: merchant.id, orderIds: ['another', orderId], memberIds: ['x', 'x'] },
      });
      await expect(erase({ force: 'true' })).rejects.toThrow(`are due for evaluation (${orderId})`);
      await flow.database.dueBatch.delete({ where: { merchantId_id: { merchantId: merchant.id, id } } });
    }
    await flow.database.decision.deleteMany({ where: { merchantId: merchant.id, orderId: orderIds[1]! } });
    await expect(erase()).rejects.toThrow('are due for evaluation');
    expect(await columnsWith(ann)).not.toEqual([]);
    await flow.syncAndSettle(merchant, order(ann, { order_id: orderIds[1]! }));
    await erase();

    const sync = await openSyncQueue(flow.environment, cleanup);
    await sync.add('sync', dataOf([order(ann)]), { delay: 60_000 });
    await expect(erase()).rejects.toThrow('1 orders of the member are not stored yet');
    await sync.drain(true);

    await flow.syncAndSettle(merchant, order(ann));
    await sync.add('sync', { ...dataOf([]), v: 99 }, { delay: 60_000 });
    await expect(erase()).rejects.toThrow('Waiting jobs of the queue sync cannot be read');
    expect(await columnsWith(ann)).not.toEqual([]);
    await sync.drain(true);
  });

  it('removes the orders of the member from failed jobs and keeps those of others', async () => {
    await flow.syncAndSettle(merchant, order(ann));
    const sync = await openSyncQueue(flow.environment, cleanup);
    const [own, others] = [order(ann), order('bob')];
    // Orders without an amount, which PostgreSQL rejects.
    const broken = (orders: object[]) => dataOf(orders.map((one) => ({ ...one, order_amount: null })));
    await sync.add('sync', broken([own, others]), { attempts: 1 });
    await sync.add('sync', broken([own]), { attempts: 1 });
    await waitFor(async () => (await sync.getFailedCount()) === 2, { what: 'two failed jobs' });
    await erase();
    const kept = await sync.getFailed();
    expect(kept.map(({ data }) => JSON.parse(String(data.orders)) as unknown)).toEqual([
      [expect.objectContaining({ member_id: 'bob' })],
    ]);
    expect(await keysWith(ann)).toEqual([]);
    await sync.clean(0, 0, 'failed');
  });

  it('reports an unknown member and an unknown merchant', async () => {
    await expect(run('member erase', { member: 'nobody' })).rejects.toThrow('has no member nobody');
    await expect(erase({ merchant: 'mer_nosuch' })).rejects.toThrow('There is no merchant mer_nosuch.');
  });
});

describe('A reward', () => {
  it('can change its member to an erased id, and no other column with it', async () => {
    await createAnnsHistory();
    const reward = await flow.database.reward.findFirstOrThrow({
      where: { merchantId: merchant.id, state: 'confirmed' },
    });
    const change = (data: object) =>
      flow.database.reward.update({
        where: { merchantId_id: { merchantId: merchant.id, id: reward.id } },
        data,
      });
    const tombstone = { memberId: 'erased-0000000000000000000000' };
    await expect(change({ memberId: 'mallory' })).rejects.toThrow('cannot be changed');
    await expect(change({ ...tombstone, amount: 1 })).rejects.toThrow('cannot be changed');
    await expect(change({ ...tombstone, state: 'revoked' })).rejects.toThrow('cannot be changed');
    await change(tombstone);
    await erase();
  });
});

/** The data of a `sync` job. */
const dataOf = (orders: object[]) =>
  toPayload<'sync'>({
    merchantId: merchant.id,
    version: 1,
    count: orders.length,
    orders: JSON.stringify(orders),
  });

/** Completes a `sync` job that stays in Redis. Its orders are older than the stored ones. */
async function keepCompleted(data: object): Promise<void> {
  const sync = await openSyncQueue(flow.environment, cleanup);
  const job = await sync.add('sync', data, { removeOnComplete: { count: 100 } });
  await waitFor(() => job.isCompleted(), { everyMs: 5 });
}

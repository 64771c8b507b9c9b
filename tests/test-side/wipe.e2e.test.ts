import { keptTables, wipedTables } from '../../packages/database/src/merchants/wipe.ts';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { bootPath, callApi, syncPath } from '../harness/call-api.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { userHashOf } from '../harness/open-merchant.ts';
import { openProblemSearch } from '../harness/open-problem-search.ts';
import { startApi } from '../harness/start-api.ts';
import { startFlow } from '../harness/start-flow.ts';
import { startProcess } from '../harness/start-process.ts';
import { startWorkers } from '../harness/start-workers.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { rowsOf } from '../console/rows-of.ts';
import { dataOf as tablesWithData } from './data-of.ts';
import { openTestSide } from './open-test-side.ts';
import { refuseRequests } from './refuse-requests.ts';

let flow: Flow;
let live: Merchant;
let side: Merchant;
let workers: { close(): Promise<void> } | undefined;

beforeAll(async () => {
  flow = await startFlow({ workers: false });
  workers = await startWorkers(flow.environment);
  live = await flow.openMerchant();
  side = await openTestSide(flow, live);
});
afterAll(async () => {
  await workers?.close();
  await flow?.close();
});

/** The id that the test side has now. */
const currentId = async ({ id }: Merchant = live) =>
  (await flow.database.merchant.findUniqueOrThrow({ where: { liveMerchantId: id } })).id;

const isPending = async (formerId: string) =>
  (await flow.database.wipe.findUniqueOrThrow({ where: { merchantId: formerId } })).finishedAt === null;

/** Requests the deletion of the test data. Returns the former id of the test side. */
async function requestWipe(): Promise<string> {
  const formerId = side.id;
  const { merchantId } = await flow.admin('merchant wipe-test', { merchant: live.id });
  side = { ...side, id: String(merchantId) };
  expect(side.id).toBe(await currentId());
  return formerId;
}

/** Deletes the test data and waits until it is done. Returns the former id of the test side. */
async function wipe(): Promise<string> {
  const formerId = await requestWipe();
  await waitFor(async () => !(await isPending(formerId)), { deadlineMs: 15_000, what: 'the deletion' });
  return formerId;
}

const dataOf = (merchantId: string) => tablesWithData(flow.database, merchantId);

/** Links two members and rewards an order of the referee. */
async function reward(merchant: Merchant, orderId: string): Promise<void> {
  await flow.link(merchant, `${orderId}-referrer`, `${orderId}-referee`);
  await flow.syncAndSettle(merchant, buildOrder({ order_id: orderId, member_id: `${orderId}-referee` }));
}

const rewards = (merchantId: string) => flow.database.reward.findMany({ where: { merchantId } });

const readFeed = async (query = '') => {
  const path = `/api/open/events/?limit=1${query}`;
  const { status, body } = await flow.call(path, undefined, { key: side.secretKey, method: 'GET' });
  return { status, ...(body.data as Partial<{ events: unknown[]; next: string }> | undefined) };
};

describe('The deletion of test data', () => {
  it('deletes the data of the test side, and keeps its keys, webhooks and program, and the live side', async () => {
    const receivers = [
      await flow.receiver(live, 'reward.issue', {}, '/live'),
      await flow.receiver(side, 'reward.issue', {}, '/test'),
    ];
    for (const merchant of [live, side]) await reward(merchant, 'both');
    for (const { received } of receivers)
      await waitFor(() => received.length === 2, { deadlineMs: 15_000, what: 'the webhooks' });
    const replaced = { identitySecret: side.identitySecret };
    const replacement = await flow.admin('merchant replace-identity-secret --test', { merchant: live.id });
    side.identitySecret = String(replacement['identitySecret']);
    // Requests are stored up to two seconds after their answer.
    const rowsOfLive = () => rowsOf(flow.database, live.id, ['requests', 'request_counts']);
    const [liveBefore, before] = [await rowsOfLive(), await rowsOf(flow.database, side.id)];
    const formerId = await wipe();
    expect([await dataOf(formerId), await dataOf(side.id)]).toEqual([[], []]);
    expect(await rowsOfLive()).toEqual(liveBefore);
    // Hashes of the secret from before the replacement, for the id that the side has now.
    const booted = await flow.boot(side, { user_id: 'ann', user_hash: userHashOf(replaced, 'ann') });
    expect(booted.status).toBe(200);
    const after = await rowsOf(flow.database, side.id);
    for (const [table, columns] of Object.entries({
      api_keys: ['id', 'sha256'],
      signing_keys: ['id'],
      endpoints: ['id', 'url', 'event_types'],
      program_versions: ['version', 'terms'],
    })) {
      const kept = (rows: unknown[] = []) =>
        (rows as Record<string, unknown>[]).map((row) => columns.map((column) => row[column]));
      expect([table, kept(after[table])]).toEqual([table, kept(before[table])]);
    }
    const of = { merchant: live.id };
    const { signingKeys } = await flow.admin('signing-key show --test', of);
    expect(signingKeys).toMatchObject([{ signingSecret: side.signingSecret }]);
    const { identitySecret } = await flow.admin('merchant identity-secret --test', of);
    expect(identitySecret).toBe(side.identitySecret);
    const wiped = await flow.database.auditEntry.findMany({ where: { action: 'test_data.wiped' } });
    expect(wiped).toMatchObject([{ merchantId: formerId, subjectId: formerId, actorKind: 'operator' }]);
  });

  it('opens no problem of the test side, neither before nor after', async () => {
    const cleanup = openCleanup();
    const find = await openProblemSearch(flow, cleanup);
    for (const merchant of [side, live]) await refuseRequests(flow, merchant);
    await find();
    const formerId = await wipe();
    await find();
    await cleanup.run();
    const problems = await flow.database.problem.findMany({ where: { kind: 'requests_refused' } });
    expect(problems).toMatchObject([{ merchantId: live.id, number: 12, resolvedAt: null }]);
    expect([await dataOf(formerId), await dataOf(side.id)]).toEqual([[], []]);
  });

  it('gives the same order new ids afterwards, so that no receiver discards its webhooks as repeated', async () => {
    const receiver = await flow.receiver(side, 'reward.issue', {}, '/again');
    await reward(side, 'again');
    const first = await rewards(side.id);
    await waitFor(() => receiver.received.length === 2, { what: 'the webhooks' });
    await wipe();
    await reward(side, 'again');
    const second = await rewards(side.id);
    expect(second).toHaveLength(2);
    const ids = new Set(first.flatMap(({ id, referralId }) => [id, referralId]));
    expect(second.filter(({ id, referralId }) => ids.has(id) || ids.has(referralId))).toEqual([]);
    await waitFor(() => receiver.received.length === 4, { what: 'the webhooks' });
    expect(receiver.received.map(({ verified }) => verified)).toEqual([true, true, true, true]);
    expect(new Set(receiver.received.map(({ deliveryId }) => deliveryId)).size).toBe(4);
  });

  it('lets a reader at the end of the feed continue, and no other one', async () => {
    const [middle, end] = [await readFeed(), await readFeed('&since=2999-01-01T00:00:00Z')];
    expect([middle.events?.length, end.events?.length]).toEqual([1, 0]);
    await wipe();
    await reward(side, 'feed');
    expect((await readFeed(`&after=${middle.next}`)).status).toBe(410);
    expect((await readFeed(`&after=${end.next}`)).events).toHaveLength(1);
  });

  it('stores no order that was accepted before it and was still in the queue', async () => {
    await workers?.close();
    await flow.sync(side, buildOrder({ order_id: 'queued', member_id: 'queued-referee' }));
    await flow.sync(live, buildOrder({ order_id: 'queued', member_id: 'queued-referee' }));
    const deleting = await startWorkers(flow.environment, { stages: ['housekeeping'] });
    const formerId = await wipe();
    await deleting.close();
    expect(await flow.queues.pending('sync')).toBe(2);
    workers = await startWorkers(flow.environment);
    await flow.sync(side, buildOrder({ order_id: 'after', member_id: 'queued-referee' }));
    await flow.queues.settled();
    const stored = await flow.database.order.findMany({ where: { memberId: 'queued-referee' } });
    const ids = stored.map(({ merchantId, orderId }) => ({ merchantId, orderId }));
    expect(ids).toHaveLength(2);
    expect(ids).toEqual(
      expect.arrayContaining([
        { merchantId: live.id, orderId: 'queued' },
        { merchantId: side.id, orderId: 'after' },
      ]),
    );
    expect(await flow.database.order.count({ where: { merchantId: formerId } })).toBe(0);
  });

  it('also deletes what is stored under the former id after it has ended', async () => {
    const { id: formerId } = side;
    await reward(side, 'late');
    const order = await flow.database.order.findFirstOrThrow({ where: { merchantId: formerId } });
    expect(await wipe()).toBe(formerId);
    // As a process does that was still storing it.
    await flow.database.order.create({ data: { ...order, items: [] } });
    await workers?.close();
    workers = await startWorkers(flow.environment);
    const isDeleted = async () => (await dataOf(formerId)).length === 0;
    await waitFor(isDeleted, { deadlineMs: 15_000, what: 'the deletion' });
  });

  it('ends evaluations and deliveries that are due without a reward or a webhook', async () => {
    const receiver = await flow.receiver(side, 'reward.issue', {}, '/due');
    await workers?.close();
    const storing = await startWorkers(flow.environment, { stages: ['sync'] });
    await flow.link(side, 'due-referrer', 'due-referee');
    await flow.sync(side, buildOrder({ order_id: 'due', member_id: 'due-referee' }));
    await waitFor(async () => (await flow.database.dueBatch.count()) === 1, { what: 'the due order' });
    await storing.close();
    const formerId = await requestWipe();
    const evaluating = await startWorkers(flow.environment, {
      stages: ['reward-evaluation', 'webhook-delivery'],
    });
    await waitFor(async () => (await flow.database.dueBatch.count()) === 0, {
      deadlineMs: 15_000,
      what: 'the end of the evaluation',
    });
    await evaluating.close();
    expect([await rewards(formerId), await rewards(side.id), receiver.received]).toEqual([[], [], []]);
    workers = await startWorkers(flow.environment);
    await waitFor(async () => !(await isPending(formerId)), { deadlineMs: 15_000, what: 'the deletion' });
    expect(await dataOf(formerId)).toEqual([]);
  });

  it('of one merchant waits neither for that of another nor for an error of another', async () => {
    const shops = await Promise.all(Array.from({ length: 3 }, () => flow.openMerchant()));
    const [held, failing, free] = await Promise.all(shops.map((shop) => openTestSide(flow, shop)));
    if (!held || !failing || !free) throw new Error('no test sides');
    for (const merchant of [held, failing, free]) await flow.link(merchant, 'anna', 'ben');
    // No worker can delete a row that a transaction holds, and each deletion of the second merchant fails.
    await flow.database
      .$executeRawUnsafe(`CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''refused by the test''; END'`);
    await flow.database
      .$executeRawUnsafe(`CREATE TRIGGER refuse_deletion BEFORE DELETE ON referrals FOR EACH ROW
      WHEN (OLD.merchant_id = '${failing.id}') EXECUTE FUNCTION refuse_deletion()`);
    await flow.database.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM referrals WHERE merchant_id = ${held.id} FOR UPDATE`;
        for (const shop of shops) await flow.admin('merchant wipe-test', { merchant: shop.id });
        await waitFor(async () => !(await isPending(free.id)), {
          deadlineMs: 30_000,
          what: 'the deletion of the third merchant',
        });
        expect(await dataOf(free.id)).toEqual([]);
        expect([await isPending(held.id), await isPending(failing.id)]).toEqual([true, true]);
        // Nobody waits for the deletion: the test side has its new id already.
        await reward(held, 'meanwhile');
        expect(await rewards(await currentId(shops[0]))).toHaveLength(2);
      },
      { timeout: 60_000 },
    );
    await flow.database.$executeRawUnsafe('DROP TRIGGER refuse_deletion ON referrals');
    await waitFor(async () => !(await isPending(held.id)) && !(await isPending(failing.id)), {
      deadlineMs: 30_000,
      what: 'the deletion of the others',
    });
    for (const { id } of [held, failing]) expect(await dataOf(id)).toEqual([]);
    expect(await rewards(await currentId(shops[0]))).toHaveLength(2);
  }, 90_000);

  it('is continued after the housekeeping was killed in the middle of it', async () => {
    await workers?.close();
    // Enough that it takes several batches.
    await flow.database.$executeRaw`
      INSERT INTO orders (merchant_id, order_id, member_id, order_date, order_amount, paid_amount, shipping_amount, first_order, items, version)
      SELECT ${side.id}, 'old-' || n, 'm-' || n % 100, now(), 1000, 1000, 0, false, '[]', 1 FROM generate_series(1, 12000) n`;
    const housekeeping = await startProcess('housekeeping', flow.environment);
    const formerId = await requestWipe();
    const left = () => flow.database.order.count({ where: { merchantId: formerId } });
    await waitFor(async () => (await left()) < 11_000, {
      deadlineMs: 60_000,
      everyMs: 5,
      what: 'a part of the deletion',
    });
    await housekeeping.close();
    expect([(await left()) > 0, await isPending(formerId)]).toEqual([true, true]);
    workers = await startWorkers(flow.environment);
    // When the lock of the killed task has expired.
    await waitFor(async () => !(await isPending(formerId)), { deadlineMs: 60_000, what: 'the deletion' });
    expect(await dataOf(formerId)).toEqual([]);
  }, 150_000);

  it('ends while orders keep arriving, and orders that are accepted after it are stored', async () => {
    await flow.link(side, 'busy-referrer', 'busy-referee');
    let sent = 0;
    const stopping = new AbortController();
    const send = () => {
      sent += 1;
      return flow.sync(
        side,
        ...Array.from({ length: 50 }, (_, index) =>
          buildOrder({ order_id: `busy-${sent}-${index}`, member_id: 'busy-referee' }),
        ),
      );
    };
    const sender = async () => {
      while (!stopping.signal.aborted) await send();
    };
    await send();
    await flow.queues.settled();
    const sending = [sender(), sender()];
    try {
      await wipe();
    } finally {
      stopping.abort();
      await Promise.all(sending);
    }
    await flow.queues.settled();
    await flow.sync(side, buildOrder({ order_id: 'afterwards', member_id: 'busy-referee' }));
    await flow.queues.settled();
    const where = { merchantId_orderId: { merchantId: side.id, orderId: 'afterwards' } };
    expect(await flow.database.order.findUnique({ where })).not.toBeNull();
    expect(await flow.database.order.count({ where: { merchantId: side.id, orderId: 'busy-1-0' } })).toBe(0);
  }, 60_000);

  it('leaves every test side as it is when several are requested at once', async () => {
    const shop = await flow.openMerchant();
    const { id } = await openTestSide(flow, shop);
    const results = await Promise.allSettled(
      Array.from({ length: 3 }, () => flow.admin('merchant wipe-test', { merchant: id })),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const rows = await rowsOf(flow.database, await currentId(shop));
    expect([rows['api_keys'], rows['signing_keys'], rows['programs']].map((one) => one?.length)).toEqual([
      2, 1, 1,
    ]);
  });

  it('is refused by the schema for the present id of a live merchant', async () => {
    const before = await rowsOf(flow.database, live.id);
    const change = (data: object) => flow.database.merchant.update({ where: { id: live.id }, data });
    await expect(
      flow.database.wipe.create({ data: { merchantId: live.id, liveMerchantId: live.id } }),
    ).rejects.toThrow('wipes_of_former_id');
    await expect(change({ mode: 'test' })).rejects.toThrow('merchants_mode');
    await expect(change({ mode: 'test', liveMerchantId: side.id })).rejects.toThrow('merchants_mode');
    expect(await rowsOf(flow.database, live.id)).toEqual(before);
  });

  it('covers every table: a new one is either deleted or kept', async () => {
    const tables = await flow.database.$queryRaw<{ name: string }[]>`
      SELECT c.table_name AS name FROM information_schema.columns c
      JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND c.column_name = 'merchant_id'
        AND table_name NOT IN (SELECT name::text FROM rules.partitions) AND table_name NOT LIKE '%_default'`;
    expect(tables.map(({ name }) => name).toSorted()).toEqual(
      [...Object.keys(wipedTables), ...keptTables].toSorted(),
    );
  });
});

describe('A key that the API has cached when the test data is deleted', () => {
  it('gets 503 from boot, 410 from the feed, and 202 for orders, which are not stored', async () => {
    const shop = await flow.openMerchant();
    const former = await openTestSide(flow, shop);
    const api = await startApi({ ...flow.environment, keyFreshMs: 60_000 });
    const call = (path: string, body: unknown, key: string, method = 'POST') =>
      callApi(api.url, path, body, { key, method });
    const boot = (userId: string) =>
      call(bootPath, { user_id: userId, user_hash: userHashOf(former, userId) }, former.publicKey);
    const feed = () => call('/api/open/events/', undefined, former.secretKey, 'GET');
    const sync = (orderId: string) =>
      call(syncPath, { orders: [buildOrder({ order_id: orderId, member_id: 'ben' })] }, former.secretKey);
    try {
      expect([(await boot('anna')).status, (await feed()).status]).toEqual([200, 200]);
      const { merchantId: newId } = await flow.admin('merchant wipe-test', { merchant: shop.id });
      const answers = [await boot('ben'), await feed(), await sync('cached')];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [503, 'service_unavailable'],
        [410, 'cursor_expired'],
        [202, undefined],
      ]);
      await flow.queues.settled();
      // Another process has not cached the key.
      expect((await flow.boot({ ...former, id: String(newId) }, { user_id: 'ben' })).status).toBe(200);
      expect(await flow.database.order.count({ where: { orderId: 'cached' } })).toBe(0);
      expect(await flow.database.member.count({ where: { merchantId: former.id, memberId: 'ben' } })).toBe(0);
    } finally {
      await api.close();
    }
  });
});

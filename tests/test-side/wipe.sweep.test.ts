import { keptTables, wipedTables } from '../../packages/database/src/merchants/wipe.ts';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow, startWorkers } from '../harness/index.ts';
import type { Flow, Merchant } from '../harness/index.ts';
import { rowsOf } from '../console/rows-of.ts';
import { openTestSide } from './open-test-side.ts';

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

const wipedAt = async () =>
  (await flow.database.merchant.findUniqueOrThrow({ where: { id: side.id } })).wipedAt?.getTime() ?? 0;

/** Deletes the test data and waits until it is done. */
async function wipe(): Promise<void> {
  const before = await wipedAt();
  await flow.admin('merchant wipe-test', { merchant: live.id });
  await waitFor(async () => (await wipedAt()) > before, { deadlineMs: 15_000, what: 'the deletion' });
}

/** The number of rows of a merchant in each table that a deletion empties. */
async function dataOf(merchantId: string): Promise<Record<string, number>> {
  const rows = await rowsOf(flow.database, merchantId);
  const counts = Object.keys(wipedTables).map((table) => [table, rows[table]?.length ?? -1] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** Links two members and rewards an order of the referee. */
async function reward(merchant: Merchant, orderId: string): Promise<void> {
  await flow.link(merchant, `${orderId}-referrer`, `${orderId}-referee`);
  await flow.syncAndSettle(merchant, buildOrder({ order_id: orderId, member_id: `${orderId}-referee` }));
}

const rewards = (merchantId: string) => flow.database.reward.findMany({ where: { merchantId } });

describe('The deletion of test data', () => {
  it('deletes the data of the test side, and keeps its keys, webhooks and program, and the live side', async () => {
    const receivers = [
      await flow.receiver(live, 'reward.issue', {}, '/live'),
      await flow.receiver(side, 'reward.issue', {}, '/test'),
    ];
    for (const merchant of [live, side]) await reward(merchant, 'both');
    for (const { received } of receivers)
      await waitFor(() => received.length === 2, { deadlineMs: 15_000, what: 'the webhooks' });
    const [liveBefore, before] = [await rowsOf(flow.database, live.id), await rowsOf(flow.database, side.id)];
    await wipe();
    expect(await dataOf(side.id)).toEqual({});
    expect(await rowsOf(flow.database, live.id)).toEqual(liveBefore);
    const after = await rowsOf(flow.database, side.id);
    for (const table of ['api_keys', 'signing_keys', 'endpoints'])
      expect(after[table]).toHaveLength(before[table]?.length ?? -1);
    expect((after['program_versions'] as { rule: unknown }[]).map(({ rule }) => rule)).toEqual(
      (before['program_versions'] as { rule: unknown }[]).map(({ rule }) => rule),
    );
    const wiped = await flow.database.auditEntry.findMany({ where: { action: 'test_data.wiped' } });
    expect(wiped).toMatchObject([{ merchantId: side.id, subjectId: side.id, actorKind: 'operator' }]);
  });

  it('gives the same order new ids afterwards, so that no receiver discards its webhooks as repeated', async () => {
    await reward(side, 'again');
    const first = await rewards(side.id);
    await wipe();
    await reward(side, 'again');
    const second = await rewards(side.id);
    expect(second).toHaveLength(2);
    const ids = new Set(first.flatMap(({ id, referralId }) => [id, referralId]));
    expect(second.filter(({ id, referralId }) => ids.has(id) || ids.has(referralId))).toEqual([]);
  });

  it('stores no order that was accepted before it and was still in the queue', async () => {
    await workers?.close();
    await flow.sync(side, buildOrder({ order_id: 'queued', member_id: 'queued-referee' }));
    await flow.sync(live, buildOrder({ order_id: 'queued', member_id: 'queued-referee' }));
    const deleting = await startWorkers(flow.environment, { stages: ['housekeeping'] });
    await wipe();
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
  });

  it('of one merchant waits neither for that of another nor for an error of another', async () => {
    const shops = await Promise.all(Array.from({ length: 3 }, () => flow.openMerchant()));
    const [held, failing, free] = await Promise.all(shops.map((shop) => openTestSide(flow, shop)));
    if (!held || !failing || !free) throw new Error('no test sides');
    for (const merchant of [held, failing, free]) await flow.link(merchant, 'anna', 'ben');
    const isPending = async ({ id }: Merchant) =>
      (await flow.database.merchant.findUniqueOrThrow({ where: { id } })).wipeRequestedAt !== null;
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
        await waitFor(async () => !(await isPending(free)), {
          deadlineMs: 30_000,
          what: 'the deletion of the third merchant',
        });
        expect(await dataOf(free.id)).toEqual({});
        expect([await isPending(held), await isPending(failing)]).toEqual([true, true]);
      },
      { timeout: 60_000 },
    );
    await flow.database.$executeRawUnsafe('DROP TRIGGER refuse_deletion ON referrals');
    await waitFor(async () => !(await isPending(held)) && !(await isPending(failing)), {
      deadlineMs: 30_000,
      what: 'the deletion of the others',
    });
    for (const { id } of [held, failing]) expect(await dataOf(id)).toEqual({});
  }, 90_000);

  it('lets no order be stored while it is pending, and lets none wait for its last step', async () => {
    await workers?.close();
    const storing = await startWorkers(flow.environment, { stages: ['sync'] });
    const before = await wipedAt();
    await flow.admin('merchant wipe-test', { merchant: live.id });
    await flow.database.$transaction(
      async (tx) => {
        // As the last step does.
        await tx.$executeRaw`
          SELECT pg_advisory_xact_lock(hashtextextended('rewardhook test data ' || ${side.id}, 0))`;
        for (const merchant of [side, live])
          await flow.sync(merchant, buildOrder({ order_id: 'meanwhile', member_id: 'meanwhile-referee' }));
        await waitFor(async () => (await flow.queues.pending('sync')) === 0, { what: 'the orders' });
      },
      { timeout: 60_000 },
    );
    const stored = await flow.database.order.findMany({ where: { orderId: 'meanwhile' } });
    expect(stored.map(({ merchantId }) => merchantId)).toEqual([live.id]);
    await storing.close();
    workers = await startWorkers(flow.environment);
    await waitFor(async () => (await wipedAt()) > before, { deadlineMs: 15_000, what: 'the deletion' });
  }, 60_000);

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

  it('is refused by the schema for a live merchant', async () => {
    const before = await rowsOf(flow.database, live.id);
    const change = (data: object) => flow.database.merchant.update({ where: { id: live.id }, data });
    await expect(change({ wipeRequestedAt: new Date() })).rejects.toThrow('merchants_wipe');
    await expect(change({ wipedVersion: 1n })).rejects.toThrow('merchants_wipe');
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
    // Users, roles and mails belong to the live merchant.
    const ofLive = ['account_mails', 'contact_confirmations', 'invitations', 'memberships', 'sessions'];
    expect(tables.map(({ name }) => name).toSorted()).toEqual(
      [...Object.keys(wipedTables), ...keptTables, ...ofLive].toSorted(),
    );
  });
});

import { buildOrder, waitFor } from '@rewardhook/testing';
import { transact } from '../client/client.ts';
import type { Queryable } from '../client/client.ts';
import { moveOrdersOfAliases } from '../evaluation/due-batches.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { upsertOrders } from '../orders/orders.ts';
import { eraseMember } from './erasure.ts';
import { mergeMembers } from './merge-members.ts';
import { insertReferral } from './referrals.ts';

useDatabase(6);
let merchantId: string;
let merchants = 0;
beforeEach(async () => {
  merchantId = `mer_${(merchants += 1)}`;
  await insertTestMerchants(merchantId);
});

const link = (referrerMemberId: string, refereeMemberId: string, source: 'boot' | 'link' = 'link') =>
  insertReferral(database, { merchantId, referrerMemberId, refereeMemberId, source, flags: [] });
const merge = (from: string, into: string) =>
  mergeMembers(database, merchantId, { from, into }, { key: `${from} ${into}`, reason: 'two accounts' });
const erase = (memberId: string) => eraseMember(database, merchantId, memberId, { cancelDeliveries: true });

const store = (tx: Queryable, orderId: string, memberId = 'old') => {
  const orders = JSON.stringify([buildOrder({ order_id: orderId, member_id: memberId })]);
  const sql = {
    query: tx.query.bind(tx),
    execute: tx.execute.bind(tx),
    $disconnect: () => Promise.resolve(),
  };
  return upsertOrders(sql, [{ merchantId, version: Date.now() * 1_000, orders }]);
};

const aliases = async () =>
  (await database.memberAlias.findMany({ where: { merchantId } })).map(
    ({ aliasId, memberId }) => `${aliasId} > ${memberId}`,
  );
const referrals = async () =>
  (await database.referral.findMany({ where: { merchantId } })).map(
    ({ referrerMemberId, refereeMemberId }) => `${referrerMemberId} > ${refereeMemberId}`,
  );
/** The orders, each with its member, and the former id that it was sent with. */
const orders = async () =>
  (await database.order.findMany({ where: { merchantId }, orderBy: { orderId: 'asc' } })).map(
    ({ orderId, memberId, sentMemberId }) => [orderId, memberId, sentMemberId],
  );
const tombstone = expect.stringMatching(/^erased-/) as string;
const bothDone = [
  { status: 'fulfilled', value: expect.objectContaining({ tombstone: expect.any(String) }) },
  { status: 'fulfilled', value: expect.anything() },
];

/** Starts calls one after the other while `hold` keeps its lock: each one when all before it wait for a lock. */
async function queue<T>(
  hold: (tx: Queryable) => Promise<unknown>,
  calls: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const results = await transact(database, async (tx) => {
    await hold(tx);
    const started: Promise<PromiseSettledResult<T>>[] = [];
    for (const call of calls) {
      started.push(Promise.allSettled([call()]).then(([result]) => result));
      await waitForLocks(database, started.length);
    }
    return { started };
  });
  return Promise.all(results.started);
}

const holdMember = (memberId: string) => (tx: Queryable) =>
  tx.query('SELECT 1 FROM members WHERE merchant_id = $1 AND member_id = $2 FOR UPDATE', [
    merchantId,
    memberId,
  ]);
const holdOrders = (tx: Queryable) =>
  tx.query('SELECT 1 FROM orders WHERE merchant_id = $1 FOR UPDATE', [merchantId]);
const park = (orderId: string, memberId: string) =>
  database.execute(
    `INSERT INTO due_batches (merchant_id, order_ids, member_ids, order_versions, parked_at, failures)
     VALUES ($1, ARRAY[$2], ARRAY[$3], ARRAY[1::bigint], now(), 9)`,
    [merchantId, orderId, memberId],
  );
/** Holds the parked orders, which an erasure changes after it has taken its locks. */
const holdParked = (tx: Queryable) =>
  tx.query('SELECT 1 FROM due_batches WHERE merchant_id = $1 FOR UPDATE', [merchantId]);
const holdLinks = (tx: Queryable) =>
  tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('rewardhook links ' || $1, 0))`, [merchantId]);

describe('A member who is erased and merged at the same time', () => {
  const everything = async () =>
    JSON.stringify([
      await database.member.findMany({ where: { merchantId } }),
      await aliases(),
      await referrals(),
      await orders(),
    ]);
  const insertMembers = async () => {
    await link('rex', 'old');
    await link('rex', 'new');
  };

  it.each([
    ['old, who was referred,', 'old', insertMembers, holdMember('old')],
    ['new, who was referred,', 'new', insertMembers, holdMember('old')],
    ['old, who only has an order,', 'old', () => store(database, 'first'), holdOrders],
  ] as const)(
    'is forgotten with all ids when %s is erased after the merge',
    async (_name, erased, insert, hold) => {
      await insert();
      const results = await queue<unknown>(hold, [() => merge('old', 'new'), () => erase(erased)]);
      expect(results).toEqual([
        { status: 'fulfilled', value: expect.objectContaining({ isNew: true }) },
        { status: 'fulfilled', value: expect.objectContaining({ tombstone: expect.any(String) }) },
      ]);
      expect(await everything()).not.toMatch(/"(?:old|new)"/);
    },
  );

  it.each([
    ['who was referred', () => link('rex', 'old'), holdMember('old')],
    ['who has referred somebody', () => link('old', 'carl'), holdMember('old')],
    ['who only has an order', () => store(database, 'first'), holdOrders],
  ] as const)('is not merged after the erasure: one %s', async (_name, insert, hold) => {
    await insert();
    const [erased, merged] = await queue<unknown>(hold, [() => erase('old'), () => merge('old', 'new')]);
    expect(erased).toMatchObject({ status: 'fulfilled', value: { tombstone: expect.any(String) } });
    expect(merged).toMatchObject({ status: 'rejected', reason: { refusal: { code: 'not_found' } } });
    expect(await everything()).not.toMatch(/"(?:old|new)"/);
  });
});

describe('A link of the server that waits beside that of a boot', () => {
  it.each(['before', 'after'])('leads to the survivor when it is made just %s the merge', async (when) => {
    await link('rex', 'bob', 'boot');
    await link('old', 'carl');
    const linkOld = () => link('old', 'bob');
    const mergeOld = () => merge('old', 'new');
    const calls: (() => Promise<unknown>)[] = when === 'before' ? [linkOld, mergeOld] : [mergeOld, linkOld];
    const results = await queue(holdLinks, calls);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await database.waitingLink.findMany({ where: { merchantId } })).toMatchObject([
      { referrerMemberId: 'new' },
    ]);
  });
});

describe('An order that is being stored while its member is merged', () => {
  it('is moved after it was committed, whatever passes there were before', async () => {
    const alias = () => database.memberAlias.findFirstOrThrow({ where: { merchantId } });
    await store(database, 'first');
    await transact(database, async (tx) => {
      await store(tx, 'second');
      await merge('old', 'new');
      for (let pass = 0; pass < 3; pass += 1) await moveOrdersOfAliases(database);
      expect((await alias()).ordersMovedAt).toBeNull();
    });
    const isDone = async () => {
      await moveOrdersOfAliases(database);
      return (await alias()).ordersMovedAt !== null;
    };
    await waitFor(isDone, { what: 'the last pass' });
    expect(await orders()).toEqual([
      ['first', 'new', 'old'],
      ['second', 'new', 'old'],
    ]);
  });

  it('keeps the id that it was sent with when its member is merged again', async () => {
    await store(database, 'first');
    await merge('old', 'new');
    await transact(database, async (tx) => {
      await store(tx, 'second');
      await merge('new', 'newest');
    });
    await moveOrdersOfAliases(database);
    expect(await orders()).toEqual([
      ['first', 'newest', 'old'],
      ['second', 'newest', 'old'],
    ]);
  });
});

describe('During the erasure of a member who has only orders', () => {
  it('a merge into them makes a new member with the same id', async () => {
    await link('rex', 'old');
    await store(database, 'first', 'new');
    await park('first', 'new');
    const results = await queue<unknown>(holdParked, [() => erase('new'), () => merge('old', 'new')]);
    expect(results).toEqual(bothDone);
    expect([await aliases(), await referrals(), await orders()]).toEqual([
      ['old > new'],
      ['rex > new'],
      [['first', tombstone, null]],
    ]);
  });

  it('a link makes a new member with the same id', async () => {
    await store(database, 'first');
    await park('first', 'old');
    const results = await queue<unknown>(holdParked, [() => erase('old'), () => link('rex', 'old')]);
    expect(results).toEqual(bothDone);
    expect([await referrals(), await orders()]).toEqual([['rex > old'], [['first', tombstone, null]]]);
  });
});

describe('During the erasure of a member with a former id', () => {
  it('an order with the former id is one of a new member', async () => {
    await store(database, 'first');
    await merge('old', 'new');
    await park('first', 'new');
    const results = await queue<unknown>(holdParked, [() => erase('new'), () => store(database, 'second')]);
    expect(results).toEqual(bothDone);
    expect(await orders()).toEqual([
      ['first', tombstone, null],
      ['second', 'old', null],
    ]);
  });

  it('a merge into the former id makes a new member with it', async () => {
    await link('rex', 'old');
    await merge('old', 'new');
    await link('rex', 'twin');
    const results = await queue<unknown>(holdMember('new'), [() => erase('new'), () => merge('twin', 'old')]);
    expect(results).toEqual(bothDone);
    expect(await aliases()).toEqual(['twin > old']);
    expect(await database.member.count({ where: { merchantId, memberId: 'new' } })).toBe(0);
  });
});

describe('The erasure of an unknown member', () => {
  it('changes nothing, and leaves no row', async () => {
    expect(await erase('nobody')).toBeUndefined();
    expect(await database.member.count({ where: { merchantId } })).toBe(0);
  });
});

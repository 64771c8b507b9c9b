import { defaultTerms } from '@rewardhook/rewards';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { transact } from '../client/client.ts';
import type { Queryable } from '../client/client.ts';
import { claimDeliveries } from '../deliveries/claim-deliveries.ts';
import { recordAttempts } from '../deliveries/record-attempts.ts';
import { enqueueOrdersOfReferral, moveOrdersOfAliases, sweepReferrals } from '../evaluation/due-batches.ts';
import { noRows } from '../evaluation/decision-rows.ts';
import { evaluateBatches } from '../evaluation/evaluate-batches.ts';
import { meetInDeadlock } from '../fixtures/meet-in-deadlock.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { lockLinks, lockReferral } from '../locks.ts';
import { upsertOrders } from '../orders/orders.ts';
import { insertFirstProgram } from '../rewards/programs.ts';
import { eraseMember } from './erasure.ts';
import { mergeMembers } from './merge-members.ts';
import { moveLink } from './move-link.ts';
import { findReferral, insertReferral } from './referrals.ts';

describe('Erasure', () => {
  const ann = 'ann-Xq7';
  useDatabase(6);
  let merchants = 0;

  const link = (merchantId: string, referrerMemberId: string, refereeMemberId: string) =>
    insertReferral(database, { merchantId, referrerMemberId, refereeMemberId, source: 'link', flags: [] });

  const erase = (merchantId: string) => eraseMember(database, merchantId, ann, { cancelDeliveries: true });

  /** A merchant where Ann was referred by Rex and rewarded; the delivery of the event is in flight. */
  async function openMerchant() {
    merchants += 1;
    const merchantId = `mer_${merchants}`;
    const { referral } = await link(merchantId, 'rex', ann);
    const own = { merchantId, id: `rwd_${merchants}`, referralId: referral.id };
    await database.reward.create({
      data: {
        ...own,
        programId: 'prg_1',
        programVersion: 1,
        subject: `referral:${referral.id}`,
        role: 'referee',
        memberId: ann,
        orderId: 'order_1',
        type: 'points',
        amount: 1_000,
        unit: 'point',
        state: 'confirmed',
        month: '2026-11',
      },
    });
    const data = {
      member_id: ann,
      referral: { referrer_member_id: 'rex', referee_member_id: ann, code: 'C' },
    };
    const eventId = `evt_${merchants}`;
    const body = JSON.stringify({ data });
    const createdAt = new Date();
    await database.event.create({
      data: { merchantId, id: eventId, type: 'reward.issue', rewardId: own.id, body, createdAt },
    });
    const endpointId = `whk_${merchants}`;
    const id = crypto.randomUUID();
    const url = 'https://shop.example/';
    await insertTestMerchants(merchantId);
    await database.endpoint.create({ data: { id: endpointId, merchantId, url, eventTypes: [] } });
    await database.delivery.create({
      data: { id, merchantId, eventId, eventCreatedAt: createdAt, endpointId },
    });
    const [claimed] = await claimDeliveries(database, [{ merchantId, endpointId, url, limit: 1 }], 30);
    const delivery = claimed?.deliveries[0];
    if (!delivery) throw new Error('no delivery is due');
    const startedAt = new Date().toISOString();
    const record = () =>
      recordAttempts(database, [
        {
          deliveryId: id,
          merchantId,
          leaseExpiresAt: delivery.leaseExpiresAt,
          startedAt,
          url,
          status: 200,
          errorClass: null,
          errorMessage: null,
          timings: {},
          responseBody: `${ann} has got it`,
          warning: null,
          retriedOnNewConnection: false,
          ignored: false,
          requestHeaders: {},
          responseHeaders: null,
          advancesSchedule: true,
          state: 'delivered',
          retryInSeconds: null,
        },
      ]);
    const responseBodies = async () =>
      (await database.attempt.findMany({ where: { merchantId } })).map(({ responseBody }) => responseBody);
    return { merchantId, deliveryId: id, endpointId, startedAt, record, responseBodies };
  }

  describe('The response body of an attempt that names an erased member', () => {
    it('is not stored when it arrives after the erasure', async () => {
      const { merchantId, record, responseBodies } = await openMerchant();
      expect(await erase(merchantId)).toMatchObject({ deliveriesCancelled: 1 });
      await record();
      expect(await responseBodies()).toEqual([null]);
    });

    it('is not stored when it arrives during the erasure', async () => {
      const { merchantId, deliveryId, endpointId, startedAt, record, responseBodies } = await openMerchant();
      let both: Promise<unknown[]> | undefined;
      const held = transact(database, async (tx) => {
        // Recording waits for this uncommitted attempt with the same key, and the erasure waits for the delivery's lock.
        await tx.query(
          `INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, timings)
         VALUES ($1, 1, $2, $3, $4, '', '{}')`,
          [deliveryId, merchantId, endpointId, startedAt],
        );
        const recording = record();
        await waitForLocks(database, 1);
        both = Promise.all([recording, erase(merchantId)]);
        await waitForLocks(database, 2);
        throw new Error('rolled back');
      });
      await expect(held).rejects.toThrow('rolled back');
      expect(await both).toMatchObject([undefined, { deliveriesCancelled: 0 }]);
      expect(await responseBodies()).toEqual([null]);
    });
  });

  describe('A referral that is inserted while a member is erased', () => {
    /** Inserts a referral while the erasure of Ann begins. */
    async function linkMeanwhile(merchantId: string, referrer: string, referee: string) {
      let both: Promise<unknown[]> | undefined;
      const held = transact(database, async (tx) => {
        // Ann is locked first; inserting the other member waits for this uncommitted row.
        await tx.query(
          `INSERT INTO members (merchant_id, member_id, code, look_alike) VALUES ($1, 'zoe', 'zoe', '')`,
          [merchantId],
        );
        const linking = link(merchantId, referrer, referee);
        await waitForLocks(database);
        both = Promise.all([linking, erase(merchantId)]);
        await waitForLocks(database, 2);
        throw new Error('rolled back');
      });
      await expect(held).rejects.toThrow('rolled back');
      await both;
    }

    it('does not contain the member on either side', async () => {
      for (const [referrer, referee] of [
        [ann, 'zoe'],
        ['zoe', ann],
      ] as const) {
        const merchantId = `mer_of_${referee.slice(0, 3)}`;
        await link(merchantId, ann, 'bob');
        await linkMeanwhile(merchantId, referrer, referee);
        const referrals = await database.referral.findMany({ where: { merchantId } });
        expect(referrals.length).toBe(2);
        expect(JSON.stringify(referrals)).not.toContain(ann);
        expect(await database.member.count({ where: { merchantId, memberId: ann } })).toBe(0);
      }
    });

    it('is refused when it uses the code of the erased member', async () => {
      const merchantId = 'mer_code';
      const { referral } = await link(merchantId, ann, 'bob');
      await erase(merchantId);
      const linking = insertReferral(database, {
        merchantId,
        referrerMemberId: ann,
        refereeMemberId: 'zoe',
        source: 'boot',
        flags: [],
        code: referral.code,
      });
      await expect(linking).rejects.toMatchObject({ refusal: { code: 'stale_code' } });
      expect(await findReferral(database, merchantId, 'zoe')).toBeUndefined();
      expect(await database.member.count({ where: { merchantId, memberId: ann } })).toBe(0);
    });
  });

  describe('The id of a referral', () => {
    it('is the same when the link is made again, and another one after the member was erased', async () => {
      const [merchantId, other] = ['mer_ids', 'mer_other'];
      await database.merchant.createMany({
        data: [merchantId, other].map((id) => ({ id, name: id, identitySecret: '' })),
      });
      const linkAnn = async (merchant: string) => (await link(merchant, 'rex', ann)).referral.id;
      const first = await linkAnn(merchantId);
      expect(first).toMatch(/^ref_[0-9A-Za-z]{22}$/);
      await database.referral.deleteMany({ where: { merchantId } });
      expect(await linkAnn(merchantId)).toBe(first);
      const ids = [first, await linkAnn(other)];
      for (let erasures = 0; erasures < 3; erasures += 1) {
        await erase(merchantId);
        ids.push(await linkAnn(merchantId));
      }
      expect(new Set(ids).size).toBe(5);
      expect(await database.referral.count({ where: { merchantId } })).toBe(4);
    });

    it('is the same after an erasure that is repeated', async () => {
      const ids = async (merchantId: string) => {
        await database.merchant.deleteMany({ where: { id: merchantId } });
        const idSalt = '00000000-0000-4000-8000-000000000000';
        await database.merchant.create({ data: { id: merchantId, name: '', identitySecret: '', idSalt } });
        await database.referral.deleteMany({ where: { merchantId } });
        await link(merchantId, 'rex', ann);
        await erase(merchantId);
        return (await link(merchantId, 'rex', 'bob')).referral.id;
      };
      expect(await ids('mer_again')).toBe(await ids('mer_again'));
    });
  });

  describe('The moves of a link', () => {
    it('do not contain an erased member, neither as the former referrer nor as the new one', async () => {
      const merchantId = 'mer_moved';
      await insertTestMerchants(merchantId);
      await link(merchantId, ann, 'bob');
      const by = {
        reason: 'wrong code',
        by: 'operator',
        fromOrderId: null,
        refereeMemberId: 'bob',
        merchantId,
      };
      for (const referrerMemberId of ['carol', ann, 'dave'])
        await moveLink(database, { ...by, referrerMemberId, key: referrerMemberId });
      const erasure = await erase(merchantId);
      expect(erasure).toMatchObject({ replaced: { referrals: 1 } });
      const moves = await database.referralMove.findMany({ orderBy: { number: 'asc' } });
      const tombstone = erasure?.tombstone;
      expect(
        moves.map((move) => [
          move.fromReferrerMemberId,
          move.fromCode === tombstone,
          move.toReferrerMemberId,
        ]),
      ).toEqual([
        [tombstone, true, 'carol'],
        ['carol', false, tombstone],
        [tombstone, true, 'dave'],
      ]);
      await expect(
        moveLink(database, { ...by, referrerMemberId: String(tombstone), key: 'again' }),
      ).rejects.toMatchObject({ refusal: { code: 'linked_member_erased' } });
    });
  });
});

describe('Members at the same time', () => {
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
    mergeMembers(database, {
      merchantId,
      from,
      into,
      by: 'operator',
      key: `${from} ${into}`,
      reason: 'two accounts',
    });
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
  const holdLinks = (tx: Queryable) => lockLinks(tx, merchantId);

  describe('A transaction that locks in another order than locks.ts says', () => {
    const evaluate = async () => {
      const { id } = await database.dueBatch.findFirstOrThrow({ where: { merchantId } });
      return evaluateBatches(database, merchantId, [id], { decideWith: noRows });
    };
    it.each<[string, Parameters<typeof meetInDeadlock>[1], () => Promise<object>, object]>([
      ['a link', [holdMember('rex'), holdLinks], () => link('rex', 'bob'), { isNew: true }],
      ['a merge', [holdMember('old'), holdLinks], () => merge('old', 'new'), { isNew: true }],
      [
        'an evaluation',
        [(tx) => lockReferral(tx, merchantId, 'ann'), holdOrders],
        evaluate,
        { claimed: [expect.objectContaining({ orderIds: ['order'] })] },
      ],
    ])('deadlocks with %s, which begins again', async (_act, locks, act, result) => {
      await link('rex', 'ann');
      await link('zoe', 'old');
      await insertFirstProgram(database, merchantId, { id: `prg_${merchantId}`, terms: defaultTerms });
      await store(database, 'order', 'ann');
      expect(await meetInDeadlock(database, locks, act)).toMatchObject(result);
    });
  });

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
      expect(merged).toMatchObject({
        status: 'rejected',
        reason: { refusal: { code: 'merged_member_unknown' } },
      });
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

  describe('An order whose transaction begins after that of a link or a merge, and ends after it', () => {
    /** Holds an act, which has begun, until the order is stored, and the order until the first pass after the act. */
    async function storeDuring<T>(
      memberId: string,
      act: () => Promise<T>,
      firstPass: (result: T) => Promise<unknown>,
    ): Promise<void> {
      await transact(database, async (storing) => {
        const { result } = await transact(database, async (tx) => {
          await holdLinks(tx);
          const acting = act();
          await waitForLocks(database, 1);
          await store(storing, 'first', memberId);
          return { result: acting };
        });
        await firstPass(await result);
      });
    }

    it('is enqueued by a later pass, after a link', async () => {
      await storeDuring(
        'bob',
        () => link('rex', 'bob'),
        ({ referral }) => enqueueOrdersOfReferral(database, merchantId, referral),
      );
      const isEnqueued = async () => {
        const batches = await sweepReferrals(database, 0);
        return batches.some((batch) => batch.merchantId === merchantId && batch.orders === 1);
      };
      await waitFor(isEnqueued, { what: 'a later pass' });
    });

    it('is moved by a later pass, after a merge', async () => {
      await link('rex', 'old');
      await storeDuring(
        'old',
        () => merge('old', 'new'),
        () => moveOrdersOfAliases(database),
      );
      const isMoved = async () => {
        await moveOrdersOfAliases(database);
        return (await orders())[0]?.[1] === 'new';
      };
      await waitFor(isMoved, { what: 'a later pass' });
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
      const results = await queue<unknown>(holdMember('new'), [
        () => erase('new'),
        () => merge('twin', 'old'),
      ]);
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
});

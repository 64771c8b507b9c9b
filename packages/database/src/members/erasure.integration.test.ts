import { transact } from '../client/client.ts';
import { claimDeliveries } from '../deliveries/claim-deliveries.ts';
import { recordAttempts } from '../deliveries/record-attempts.ts';
import { eraseMember } from './erasure.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { moveLink } from './move-link.ts';
import { findReferral, insertReferral, StaleReferralCode } from './referrals.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';

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
  const data = { member_id: ann, referral: { referrer_member_id: 'rex', referee_member_id: ann, code: 'C' } };
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
    await expect(linking).rejects.toThrow(StaleReferralCode);
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
      moves.map((move) => [move.fromReferrerMemberId, move.fromCode === tombstone, move.toReferrerMemberId]),
    ).toEqual([
      [tombstone, true, 'carol'],
      ['carol', false, tombstone],
      [tombstone, true, 'dave'],
    ]);
    await expect(
      moveLink(database, { ...by, referrerMemberId: String(tombstone), key: 'again' }),
    ).rejects.toMatchObject({ code: 'member_erased' });
  });
});

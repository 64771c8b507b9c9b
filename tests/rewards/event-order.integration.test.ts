import { buildOrder, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../packages/database/src/fixtures/wait-for-locks.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

interface FeedEvent {
  type: string;
  created_at: string;
  data: { reward: { id: string } };
}

describe('The order of events', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  /** Locks the referral's row until `release`. */
  async function lockReferral(id: string): Promise<() => Promise<void>> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let locked: () => void = () => undefined;
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const done = flow.database.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM referrals WHERE id = ${id} FOR UPDATE`;
      locked();
      await released;
    });
    await isLocked;
    return async () => {
      release();
      await done;
    };
  }

  async function listFeedPage(): Promise<FeedEvent[]> {
    const { body } = await flow.call('/api/open/events/', undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    return body.data['events'] as FeedEvent[];
  }

  it('is correct when the transaction of a revocation began before that of its issue', async () => {
    const members = ['bob', 'cat', 'dan'];
    for (const member of members) await flow.link(merchant, 'ann', member);
    // Evaluations lock the referrals of their orders in the order of their ids.
    const [early, middle, late] = await flow.database.referral.findMany({
      where: { merchantId: merchant.id },
      orderBy: { id: 'asc' },
    });
    const order = (referral: typeof early, paid: boolean, more: object = {}) =>
      buildOrder({
        member_id: referral?.refereeMemberId as string,
        ...(paid ? {} : { paid_at: null }),
        ...more,
      });
    const paid = order(late, true);

    const releaseEarly = await lockReferral(early?.id as string);
    // Its transaction begins here and waits for the lock.
    await flow.sync(merchant, order(early, false), { ...paid, paid_at: null });
    await waitForLocks(flow.database, 1);
    await flow.sync(merchant, paid);
    const issued = () =>
      flow.database.event.count({ where: { merchantId: merchant.id, type: 'reward.issue' } });
    await waitFor(async () => (await issued()) === 2);
    const releaseMiddle = await lockReferral(middle?.id as string);
    await flow.sync(merchant, order(middle, false), { ...paid, cancelled_at: paid.order_date });
    await waitForLocks(flow.database, 2);
    // The first transaction reads the cancelled order.
    await releaseEarly();
    const revoked = () =>
      flow.database.event.count({ where: { merchantId: merchant.id, type: 'reward.revoke' } });
    await waitFor(async () => (await revoked()) === 2);
    await releaseMiddle();
    await flow.queues.settled();

    const feed = await listFeedPage();
    expect(feed.map(({ type }) => type)).toEqual([
      'reward.issue',
      'reward.issue',
      'reward.revoke',
      'reward.revoke',
    ]);
    expect(feed.map(({ created_at }) => created_at)).toEqual(feed.map(({ created_at }) => created_at).sort());
    const rewards = await flow.database.reward.findMany({ where: { merchantId: merchant.id } });
    for (const { createdAt, confirmedAt, endedAt } of rewards)
      expect([createdAt, confirmedAt, endedAt]).toEqual(
        [createdAt, confirmedAt, endedAt].toSorted((a, b) => Number(a) - Number(b)),
      );
    expect(await outOfOrder()).toEqual([0, 0]);
  });

  it('is correct, like their times, when the clock of the database is set back by an hour', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const paid = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, paid);
    // Simulates a clock that was an hour fast during the first evaluation.
    const where = { merchantId: merchant.id };
    const fast = new Date(Date.now() + 3_600_000);
    await flow.database.decision.updateMany({ where, data: { createdAt: fast } });
    await flow.database.event.updateMany({ where, data: { createdAt: fast } });
    await flow.database.reward.updateMany({ where, data: { createdAt: fast, confirmedAt: fast } });
    await flow.syncAndSettle(merchant, { ...paid, returned_at: paid.order_date });
    await flow.syncAndSettle(merchant, paid);
    const issue = ['reward.issue', 'reward.issue'];
    expect((await listFeedPage()).map(({ type }) => type)).toEqual([
      ...issue,
      'reward.revoke',
      'reward.revoke',
      ...issue,
    ]);
    expect(await outOfOrder()).toEqual([0, 0]);
    const timeline = await explain(paid.order_id);
    const [given, revoked] = ['reward_given', 'reward_revoked'];
    expect(timeline.filter((what) => ['event', given, revoked].includes(what))).toEqual(
      [given, revoked, given].flatMap((what) => [what, what, 'event', 'event']),
    );
  });

  it('is checked by doctor, which counts a revocation before its issue and a reward that ended before it began', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const paid = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, paid);
    await flow.syncAndSettle(merchant, { ...paid, returned_at: paid.order_date });
    const where = { merchantId: merchant.id, type: 'reward.revoke' };
    const [event] = await flow.database.event.findMany({ where });
    const early = new Date(Date.now() - 600_000);
    await flow.database.event.updateMany({ where: { id: event?.id as string }, data: { createdAt: early } });
    await flow.database.reward.updateMany({
      where: { id: event?.rewardId as string },
      data: { endedAt: early },
    });
    expect(await outOfOrder()).toEqual([1, 1]);
  });

  async function outOfOrder(): Promise<unknown[]> {
    const { faults } = await flow.admin('doctor', {});
    const { eventsOutOfOrder, timesOutOfOrder } = faults as Record<string, number>;
    return [eventsOutOfOrder, timesOutOfOrder];
  }

  async function explain(orderId: string): Promise<string[]> {
    const path = `/api/open/orders/${orderId}/explain/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    return (body.data['timeline'] as { what: string }[]).map(({ what }) => what);
  }
});

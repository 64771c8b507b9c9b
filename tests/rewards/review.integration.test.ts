import { publishProgram } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import type { ProgramRule } from '@rewardhook/rewards';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

describe('A referral that needs review', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
  });
  afterAll(() => flow.close());

  const publish = (rule: Partial<ProgramRule>) =>
    publishProgram(flow.database, merchant.id, { ...defaultRule, ...rule });
  const states = async () => {
    const rewards = await flow.database.reward.findMany({ where: { merchantId: merchant.id } });
    return rewards.map(({ role, state }) => `${role} ${state}`).toSorted();
  };
  const events = async () =>
    (await flow.database.event.findMany({ where: { merchantId: merchant.id } })).map(({ type }) => type);
  const explain = async (orderId: string) => {
    const path = `/api/open/orders/${orderId}/explain/`;
    const answer = await flow.call(path, undefined, { key: merchant.secretKey, method: 'GET' });
    return answer.body.data as {
      referral: { review: string };
      decision: { reason: string };
      counterfactual: string | null;
      timeline: Record<string, unknown>[];
    };
  };
  /** A boot call without a hash and without a click, and a paid order. */
  async function linkUnverifiedBob(): Promise<string> {
    const referral_code = (await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code'];
    await flow.boot(merchant, { user_id: 'bob', user_hash: undefined, referral_code });
    const { referrals } = (await flow.admin('referral list', {
      merchant: merchant.id,
      'needs-review': 'true',
    })) as { referrals: { id: string; flags: string[]; review: string }[] };
    expect(referrals).toMatchObject([{ flags: ['no_click', 'foreign_origin'], review: 'pending' }]);
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'first', member_id: 'bob' }));
    return referrals[0]?.id ?? '';
  }
  const decide = async (decision: 'accept' | 'reject', referral: string) => {
    await flow.admin(`referral ${decision}`, { merchant: merchant.id, referral });
    await flow.queues.settled();
  };

  it('earns pending rewards, which are confirmed and issued when it is accepted', async () => {
    const referral = await linkUnverifiedBob();
    expect([await states(), await events()]).toEqual([['referee pending', 'referrer pending'], []]);
    expect(await explain('first')).toMatchObject({
      referral: { review: 'pending' },
      decision: { reason: 'under_review' },
    });
    await decide('accept', referral);
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    expect(await events()).toEqual(['reward.issue', 'reward.issue']);
    const { timeline, decision } = await explain('first');
    expect(decision.reason).toBe('rewarded');
    expect(timeline.find(({ what }) => what === 'referral_accepted')).toMatchObject({ by: 'operator' });
    const again = flow.admin('referral reject', { merchant: merchant.id, referral });
    await expect(again).rejects.toThrow('was already accepted by operator');
  });

  it('loses its pending rewards when it is rejected, and later orders earn none', async () => {
    const referral = await linkUnverifiedBob();
    await decide('reject', referral);
    expect(await states()).toEqual(['referee cancelled', 'referrer cancelled']);
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'second', member_id: 'bob', first_order: true }),
    );
    expect(await explain('second')).toMatchObject({
      decision: { reason: 'referral_rejected' },
      counterfactual: expect.stringContaining('if the referral had not been rejected'),
    });
    expect([await states(), await events()]).toEqual([['referee cancelled', 'referrer cancelled'], []]);
  });

  it('keeps the hold of its rewards after it is accepted, and stays under review after the hold', async () => {
    await publish({ holdDays: 30 });
    const referral = await linkUnverifiedBob();
    const endHolds = () =>
      flow.database.reward.updateMany({
        where: { merchantId: merchant.id },
        data: { holdDays: 0, confirmDueAt: new Date(Date.now() - 1_000), holdEnqueued: false },
      });
    await decide('accept', referral);
    expect([await states(), (await explain('first')).decision.reason]).toEqual([
      ['referee pending', 'referrer pending'],
      'hold',
    ]);
    await endHolds();
    await waitFor(async () => (await events()).length === 2, { what: 'the end of the hold' });

    merchant = await flow.openMerchant();
    await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
    await publish({ holdDays: 30 });
    const other = await linkUnverifiedBob();
    await endHolds();
    // By then the sweeper has run since the other hold ended.
    const signal = await flow.openMerchant();
    await publishProgram(flow.database, signal.id, { ...defaultRule, holdDays: 2 / 86_400 });
    await flow.link(signal, 'x', 'y');
    await flow.syncAndSettle(signal, buildOrder({ member_id: 'y', paid_at: new Date().toISOString() }));
    const issued = () => flow.database.event.count({ where: { merchantId: signal.id } });
    await waitFor(async () => (await issued()) === 2, { what: 'the end of a later hold' });
    expect([await events(), await flow.database.dueBatch.count()]).toEqual([[], 0]);
    await decide('accept', other);
    expect(await events()).toEqual(['reward.issue', 'reward.issue']);
  });

  it('counts against caps and budget during the review', async () => {
    await publish({ budget: 6_000 });
    const referral = await linkUnverifiedBob();
    await flow.link(merchant, 'ann', 'carl');
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'of-carl', member_id: 'carl' }));
    expect((await explain('of-carl')).decision.reason).toBe('budget_exhausted');
    await decide('reject', referral);
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'of-carl', member_id: 'carl' }));
    expect((await explain('of-carl')).decision.reason).toBe('rewarded');
  });

  it('is accepted or rejected only once by concurrent reviews', async () => {
    const referral = await linkUnverifiedBob();
    const orders = Array.from({ length: 10 }, (_, index) =>
      buildOrder({ order_id: `o${index}`, member_id: 'bob' }),
    );
    const deciding = ['accept', 'reject', 'accept', 'reject'].map((decision) =>
      flow.admin(`referral ${decision}`, { merchant: merchant.id, referral }).then(
        () => decision,
        () => undefined,
      ),
    );
    await Promise.all(orders.map((order) => flow.sync(merchant, order)));
    const decided = (await Promise.all(deciding)).filter((decision) => decision !== undefined);
    expect(decided).toHaveLength(1);
    await flow.queues.settled();
    const accepted = decided[0] === 'accept';
    expect(await states()).toEqual(
      accepted ? ['referee confirmed', 'referrer confirmed'] : ['referee cancelled', 'referrer cancelled'],
    );
    expect(await events()).toEqual(accepted ? ['reward.issue', 'reward.issue'] : []);
  });
});

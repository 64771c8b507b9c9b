import { publishProgram } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Answer } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

interface Result {
  outcome: string;
  reason: string;
  checks: { check: string; value: unknown; threshold: unknown; passed: boolean }[];
}
interface Explanation {
  similar_members: string[];
  program: { version: number };
  waits_for_evaluation: boolean;
  decision: Result;
  stored_decision: { number: number; decided_at: string; program_version: number } | null;
  today: Result & { program: { version: number } };
  counterfactual: string | null;
  counterfactual_parts: unknown;
  timeline: { what: string; at: string; program_version?: number }[];
}

describe('explain', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  function ask(orderId: string, key = merchant.secretKey): Promise<Answer> {
    const path = `/api/open/orders/${encodeURIComponent(orderId)}/explain/`;
    return flow.call(path, undefined, { method: 'GET', key });
  }
  async function explain(orderId: string): Promise<Explanation> {
    return (await ask(orderId)).body.data as unknown as Explanation;
  }

  it('returns the complete timeline of a rewarded order, oldest entry first', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue');
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_id: 'a/b c?' });
    await flow.syncAndSettle(merchant, { ...order, paid_at: null });
    await flow.syncAndSettle(merchant, order);
    await hook.waitFor(() => hook.received.length === 2);
    await flow.queues.settled();
    const { decision, today, counterfactual, timeline } = await explain(order.order_id);
    expect(decision).toMatchObject({ outcome: 'rewarded', reason: 'rewarded' });
    expect(today).toMatchObject({ outcome: 'kept', reason: 'rewarded' });
    expect(counterfactual).toBeNull();
    expect([...new Set(timeline.map(({ what }) => what))]).toEqual([
      'member_linked',
      'version_received',
      'evaluated',
      'reward_given',
      'reward_confirmed',
      'event',
      'delivery',
      'attempt',
    ]);
    expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).sort());
    expect(timeline.filter(({ what }) => what === 'version_received')).toHaveLength(2);
    expect(timeline.filter(({ what }) => what === 'evaluated')).toHaveLength(2);
  });

  it('says that no webhook was registered for an event', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, order);
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.syncAndSettle(merchant, { ...order, cancelled_at: '2026-11-22T00:00:00Z' });
    const { timeline } = await explain(order.order_id);
    expect(timeline.filter(({ what }) => what === 'event')).toMatchObject(
      ['reward.issue', 'reward.issue', 'reward.revoke', 'reward.revoke'].map((type) => ({
        type,
        no_webhook: true,
      })),
    );
    expect(hook.received).toHaveLength(0);
  });

  it('names referred members whose id looks like that of a member who was not referred, and links none of them', async () => {
    const similar = ['kim@example.com', 'KIM+shop@example.com', 'kim@example.com.', ' Kim@Example.com '];
    for (const id of [...similar, 'lee@example.com']) await flow.link(merchant, 'ann', id);
    // Only members with a referral are named.
    await flow.boot(merchant, { user_id: 'kim@EXAMPLE.com' });
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'Kim@example.com', order_id: 'odd' }));
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'kim@example.com', order_id: 'exact' }));
    const odd = await explain('odd');
    expect(odd.decision.reason).toBe('member_not_linked');
    expect(odd.similar_members).toHaveLength(3);
    for (const id of odd.similar_members) expect(similar).toContain(id);
    expect((await explain('exact')).similar_members).toEqual([]);
  });

  it('evaluates a rewarded order under the version of its reward, and returns that version', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_id: 'kept', paid_amount: 20_000 });
    await flow.syncAndSettle(merchant, order);
    await publishProgram(flow.database, merchant.id, { ...defaultRule, minimumPaidAmount: 30_000 });
    await flow.syncAndSettle(merchant, { ...order, shipping_amount: 100 });
    const { program, decision, timeline } = await explain('kept');
    expect([program.version, decision.outcome, decision.reason]).toEqual([1, 'kept', 'rewarded']);
    expect(
      timeline.filter(({ what }) => what === 'evaluated').map(({ program_version: version }) => version),
    ).toEqual([1, 1]);

    await flow.syncAndSettle(
      merchant,
      buildOrder({ member_id: 'carl', order_id: 'new', paid_amount: 20_000 }),
    );
    expect((await explain('new')).program.version).toBe(2);
  });

  it('returns the stored reason, and separately the decision that a newer version would give today', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const first = buildOrder({ member_id: 'bob', order_id: 'first', order_date: '2026-03-01T00:00:00Z' });
    const next = buildOrder({ member_id: 'bob', order_id: 'next', paid_amount: 20_000 });
    await flow.syncAndSettle(merchant, first, next);
    await publishProgram(flow.database, merchant.id, { ...defaultRule, minimumPaidAmount: 30_000 });
    const explained = await explain('next');
    const { program, decision, stored_decision: stored, today, timeline } = explained;
    expect([program.version, decision.outcome, decision.reason]).toEqual([1, 'no_reward', 'not_first_order']);
    expect(decision.checks.find(({ passed }) => !passed)).toMatchObject({
      check: 'first_order',
      value: false,
      threshold: 'first',
    });
    const evaluated = timeline.find(({ what }) => what === 'evaluated');
    expect(stored).toMatchObject({ number: 1, program_version: 1, decided_at: evaluated?.at });
    expect(evaluated).toMatchObject({ reason: 'not_first_order', program_version: 1 });
    expect([today.program.version, today.reason]).toEqual([2, 'below_minimum']);
    expect(await flow.admin('order explain', { merchant: merchant.id, order: 'next' })).toEqual(explained);
  });

  it('ignores a decision that was made for another member', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_id: 'moved', paid_at: null });
    await flow.syncAndSettle(merchant, order);
    expect((await explain('moved')).decision.reason).toBe('not_paid');
    await flow.syncAndSettle(merchant, { ...order, member_id: 'nobody', paid_at: order.order_date });
    expect(await explain('moved')).toMatchObject({
      stored_decision: null,
      decision: { reason: 'member_not_linked' },
    });
  });

  it('returns all conditions for a reward in one sentence', async () => {
    await publishProgram(flow.database, merchant.id, {
      ...defaultRule,
      referrer: null,
      minimumPaidAmount: 30_000,
    });
    await flow.syncAndSettle(
      merchant,
      buildOrder({ member_id: 'stranger', order_id: 'unlinked', paid_amount: 50_000 }),
    );
    expect((await explain('unlinked')).counterfactual).toBe(
      'It would earn 3,000 points for the referee if the member were linked to a referrer.',
    );
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(
      merchant,
      buildOrder({ member_id: 'bob', order_id: 'small', paid_amount: 20_000, paid_at: null }),
    );
    const { decision, counterfactual, counterfactual_parts: parts } = await explain('small');
    expect(parts).toEqual({
      earns: [{ role: 'referee', type: 'points', amount: 3_000, unit: 'points' }],
      conditions: [{ code: 'paid' }, { code: 'minimum_paid_amount', amount: 30_000 }],
    });
    expect(decision).toMatchObject({ outcome: 'no_reward', reason: 'not_paid' });
    expect(counterfactual).toBe(
      'It would earn 3,000 points for the referee if it were paid and paid_amount were 30,000 or more.',
    );
  });

  it('answers 404 for an unknown order and one of another merchant, and requires a secret key', async () => {
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'mine' }));
    const other = await flow.openMerchant();
    expect((await ask('mine')).status).toBe(200);
    expect((await ask('mine', other.secretKey)).status).toBe(404);
    expect((await ask('nothing')).status).toBe(404);
    expect((await ask('mine', merchant.publicKey)).status).toBe(401);
  });
});

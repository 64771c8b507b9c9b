import { publishProgram } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/index.ts';
import type { Flow, Merchant } from '../harness/index.ts';

interface Explanation {
  program: { version: number };
  verdict: { outcome: string; reason: string; checks: { check: string; passed: boolean }[] };
  counterfactual: string | null;
  story: { what: string; at: string; program_version?: number }[];
}

describe('explain', () => {
  let flow: Flow;
  let shop: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    shop = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  async function ask(orderId: string, key = shop.secretKey): Promise<Response> {
    return fetch(`${flow.url}/api/open/orders/${encodeURIComponent(orderId)}/explain/`, {
      headers: { 'x-service-key': key },
    });
  }
  async function explain(orderId: string): Promise<Explanation> {
    return ((await (await ask(orderId)).json()) as { data: Explanation }).data;
  }

  it('tells the whole story of a rewarded order, in order', async () => {
    const hook = await flow.receiver(shop, 'reward.issue');
    await flow.link(shop, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_id: 'a/b c?' });
    await flow.syncAndSettle(shop, { ...order, paid_at: null });
    await flow.syncAndSettle(shop, order);
    await hook.waitFor(() => hook.received.length === 2);
    await flow.queues.settled();
    const { verdict, counterfactual, story } = await explain(order.order_id);
    expect(verdict).toMatchObject({ outcome: 'kept', reason: 'rewarded' });
    expect(counterfactual).toBeNull();
    expect([...new Set(story.map(({ what }) => what))]).toEqual([
      'member_linked',
      'version_received',
      'judged',
      'reward_given',
      'reward_confirmed',
      'event',
      'delivery',
      'attempt',
    ]);
    expect(story.map(({ at }) => at)).toEqual(story.map(({ at }) => at).sort());
    expect(story.filter(({ what }) => what === 'version_received')).toHaveLength(2);
    expect(story.filter(({ what }) => what === 'judged')).toHaveLength(2);
  });

  it('judges what a reward was given for by the version of then, and says so', async () => {
    await flow.link(shop, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_id: 'kept', paid_amount: 20_000 });
    await flow.syncAndSettle(shop, order);
    await publishProgram(flow.database, shop.id, { ...defaultRule, minimumPaidAmount: 30_000 });
    await flow.syncAndSettle(shop, { ...order, shipping_amount: 100 });
    const { program, verdict, story } = await explain('kept');
    expect([program.version, verdict.outcome, verdict.reason]).toEqual([1, 'kept', 'rewarded']);
    expect(
      story.filter(({ what }) => what === 'judged').map(({ program_version: version }) => version),
    ).toEqual([1, 1]);

    await flow.syncAndSettle(shop, buildOrder({ member_id: 'carl', order_id: 'new', paid_amount: 20_000 }));
    expect((await explain('new')).program.version).toBe(2);
  });

  it('says what would have to be different, all of it in one sentence', async () => {
    await publishProgram(flow.database, shop.id, {
      ...defaultRule,
      referrer: null,
      minimumPaidAmount: 30_000,
    });
    await flow.syncAndSettle(
      shop,
      buildOrder({ member_id: 'stranger', order_id: 'unlinked', paid_amount: 50_000 }),
    );
    expect((await explain('unlinked')).counterfactual).toBe(
      'It would earn 3,000 points for the referee if the member were linked to a referrer.',
    );
    await flow.link(shop, 'ann', 'bob');
    await flow.syncAndSettle(
      shop,
      buildOrder({ member_id: 'bob', order_id: 'small', paid_amount: 20_000, paid_at: null }),
    );
    const { verdict, counterfactual } = await explain('small');
    expect(verdict).toMatchObject({ outcome: 'nothing', reason: 'not_paid' });
    expect(counterfactual).toBe(
      'It would earn 3,000 points for the referee if it were paid and paid_amount were 30,000 or more.',
    );
  });

  it('answers 404 for an order of nobody or of another merchant, and wants a secret key', async () => {
    await flow.syncAndSettle(shop, buildOrder({ order_id: 'mine' }));
    const other = await flow.openMerchant();
    expect((await ask('mine')).status).toBe(200);
    expect((await ask('mine', other.secretKey)).status).toBe(404);
    expect((await ask('nothing')).status).toBe(404);
    expect((await ask('mine', shop.publicKey)).status).toBe(401);
  });
});

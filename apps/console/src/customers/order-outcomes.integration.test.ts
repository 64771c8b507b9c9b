import { buildItem, buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type {
  MemberView,
  OrderListItem,
  OrderOutcome,
  OrderResponse,
  Page,
  ReferralRow,
  RewardListRow,
} from '../api-types.ts';

describe('What became of an order', () => {
  let flow: Flow;
  let running: RunningConsole;
  let shop: SignedUpMerchant;
  let status: number;
  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
    shop = await running.signUp();
    await flow.receiver(shop.merchant, 'reward.issue,reward.revoke', { respond: () => status });
    await flow.link(shop.merchant, 'alice', 'bob');
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });
  beforeEach(() => {
    status = 204;
  });

  const idsOf = async (path: string, browser = shop.browser) =>
    ((await browser.get(path)).data as Page<OrderListItem>).items.map(({ order_id: id }) => id);

  /** The outcome on the page of an order, which the list has too, and finds. */
  const outcomeOf = async (orderId: string, { browser }: SignedUpMerchant = shop): Promise<OrderOutcome> => {
    const { outcome } = (await browser.get(`/orders/${orderId}`)).data as OrderResponse;
    const { items } = (await browser.get(`/orders?order_id=${orderId}`)).data as Page<OrderListItem>;
    expect(items[0]?.outcome).toEqual(outcome);
    const decision = outcome.state === 'decided' ? items[0]?.last_reason : outcome.state;
    expect(await idsOf(`/orders?decision=${decision}`, browser)).toContain(orderId);
    return outcome;
  };
  const rewardsOf = async (orderId: string) =>
    (await outcomeOf(orderId)).rewards.map(({ member_id: member, amount, state, sending }) => [
      member,
      amount,
      state,
      sending,
    ]);
  const orderOf = (member: string, order: Parameters<typeof buildOrder>[0] = {}) =>
    buildOrder({ order_id: `of-${member}`, member_id: member, ...order });
  const linkAndOrder = async (member: string) => {
    await flow.link(shop.merchant, 'alice', member);
    await flow.syncAndSettle(shop.merchant, orderOf(member));
  };
  const setEndpoint = (data: object) =>
    flow.database.endpoint.updateMany({ where: { merchantId: shop.merchant.id }, data });
  const both = (member: string, state: string, sending: string | null) => [
    [member, 3_000, state, sending],
    ['alice', 3_000, state, sending],
  ];

  it('is nothing as long as its member has no referrer, and an evaluation after they are linked', async () => {
    await flow.syncAndSettle(shop.merchant, orderOf('walk-in'));
    const nothing = { rewards: [], more_rewards: 0, referred_revenue: null };
    expect(await outcomeOf('of-walk-in')).toEqual({ state: 'no_referrer', ...nothing });
    const { explanation } = (await shop.browser.get('/orders/of-walk-in')).data as OrderResponse;
    expect(explanation).toMatchObject({
      stored_decision: null,
      waits_for_evaluation: false,
      decision: { reason: 'member_not_linked' },
    });
    await linkAndOrder('walk-in');
    expect((await outcomeOf('of-walk-in')).state).toBe('decided');
  });

  it('is a reward of each member, with what became of its delivery', async () => {
    await linkAndOrder('bob');
    expect(await rewardsOf('of-bob')).toEqual(both('bob', 'confirmed', 'delivered'));
    await flow.syncAndSettle(shop.merchant, orderOf('bob', { returned_at: new Date().toISOString() }));
    expect(await rewardsOf('of-bob')).toEqual(both('bob', 'revoked', 'delivered'));
  });

  it('names what a delivery waits for: the webhook that fails, is paused or disabled, or the operator', async () => {
    status = 500;
    await linkAndOrder('carol');
    await setEndpoint({ breakerOpenedAt: null });
    expect(await rewardsOf('of-carol')).toEqual(both('carol', 'confirmed', 'retrying'));
    await setEndpoint({ breakerOpenedAt: new Date() });
    expect(await rewardsOf('of-carol')).toEqual(both('carol', 'confirmed', 'webhook_failing'));
    await setEndpoint({ operatorPausedAt: new Date() });
    expect(await rewardsOf('of-carol')).toEqual(both('carol', 'confirmed', 'operator_paused'));
    await setEndpoint({ pausedAt: new Date() });
    expect(await rewardsOf('of-carol')).toEqual(both('carol', 'confirmed', 'webhook_paused'));
    await setEndpoint({ disabledAt: new Date() });
    expect(await rewardsOf('of-carol')).toEqual(both('carol', 'confirmed', 'webhook_disabled'));
    await flow.database.delivery.updateMany({
      where: { merchantId: shop.merchant.id, state: 'pending' },
      data: { state: 'exhausted', nextAttemptAt: null, finishedAt: new Date() },
    });
    expect(await rewardsOf('of-carol')).toEqual(both('carol', 'confirmed', 'failed'));
    await setEndpoint({ disabledAt: null, pausedAt: null, operatorPausedAt: null, breakerOpenedAt: null });
  });

  it('is being evaluated only while its newest state has no decision, and stopped when its evaluation is parked', async () => {
    await linkAndOrder('dave');
    const where = { merchantId: shop.merchant.id, orderId: 'of-dave' };
    expect((await outcomeOf('of-dave')).state).toBe('decided');
    await flow.database.$executeRaw`
      UPDATE orders SET version = version + 1 WHERE merchant_id = ${where.merchantId} AND order_id = ${where.orderId}`;
    expect((await outcomeOf('of-dave')).state).toBe('evaluating');
    await flow.database.dueBatch.create({
      data: {
        merchantId: where.merchantId,
        orderIds: [where.orderId],
        memberIds: ['dave'],
        orderVersions: [1n],
        parkedAt: new Date(),
      },
    });
    expect((await outcomeOf('of-dave')).state).toBe('stopped');
    await flow.database.dueBatch.deleteMany({ where: { merchantId: where.merchantId } });
  });

  it('Orders are found by state, decision, referral and days, also among those that begin with an id, and exported so', async () => {
    const { browser, merchant } = await running.signUp();
    const now = Date.now();
    const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString();
    const at = (ago: number) => ({ order_date: day(ago), paid_at: day(ago) });
    await flow.link(merchant, 'ann', '0042');
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: '00123', member_id: '0042', ...at(2 / 24) }),
      buildOrder({ order_id: '00124', member_id: '0042', ...at(1 / 24) }),
      buildOrder({ order_id: '00125', member_id: '0042', ...at(0), returned_at: day(0) }),
      buildOrder({ order_id: 'A-1', member_id: 'walk-in', ...at(0), paid_at: null }),
      buildOrder({ order_id: 'A-2', member_id: 'walk-in', items: [buildItem({ cancelled_at: day(0) })] }),
    );
    const found = async (query: string) => (await idsOf(`/orders?${query}`, browser)).toSorted();
    expect(await found('state=paid')).toEqual(['00123', '00124']);
    expect(await found('state=returned')).toEqual(['00125']);
    expect(await found('state=placed')).toEqual(['A-1']);
    expect(await found('state=cancelled')).toEqual(['A-2']);
    expect(await found('search=001&state=returned')).toEqual(['00125']);
    expect(await found('decision=not_first_order&state=paid')).toEqual(['00124']);
    expect(await found('decision=no_referrer&search=a-')).toEqual(['A-1', 'A-2']);
    expect(await idsOf('/orders?referred=all', browser)).toEqual(['00124', '00123']);
    for (const also of ['', '&member_id=0042', '&search=0'])
      expect(await found(`referred=first${also}`)).toEqual(['00123']);
    for (const also of ['', '&member_id=0042', '&search=0'])
      expect(await found(`referred=all&from=${day(1.5 / 24)}${also}`)).toEqual(['00124']);
    expect(await found(`until=${day(1)}`)).toEqual([]);
    expect(await found(`from=${day(1)}`)).toHaveLength(5);
    const sums = async (query: string) => (await browser.get(`/rewards/sums?${query}`)).data;
    const sum = { type: 'points', unit: 'points' };
    expect(await sums('by=confirmed')).toEqual({
      totals: [{ ...sum, rewards: 2, amount: 6_000 }],
      newest: null,
    });
    expect(await sums(`by=confirmed&role=referrer&from=${day(1)}`)).toEqual({
      totals: [{ ...sum, rewards: 1, amount: 3_000 }],
      newest: null,
    });
    const confirmed = (await browser.get('/rewards?by=confirmed&role=referrer')).data as Page<RewardListRow>;
    expect(confirmed.items.map(({ member_id: member }) => member)).toEqual(['ann']);
    expect(await sums('by=revoked')).toEqual({ totals: [], newest: null });
    const links = async (query: string) =>
      ((await browser.get(`/referrals?${query}`)).data as Page<ReferralRow>).items.length;
    expect([await links(`counted=true&from=${day(1)}`), await links(`until=${day(1)}`)]).toEqual([1, 0]);
    // A spreadsheet keeps the zeros of ids.
    const [header, ...lines] = (await browser.get('/orders.csv?referred=all')).text.trimEnd().split('\r\n');
    expect(header).toMatch(/^\ufefforder_id,member_id,order_amount,/);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^"=""00123""","=""0042""",\d+,.*,KRW,.*,rewarded,\d+$/);
  });

  it('A member without a referrer gets one by hand, for an order that came from them or from now on; their pages have the sums and who did it', async () => {
    const { browser, merchant, email } = await running.signUp();
    await flow.boot(merchant, { user_id: 'ann' });
    await flow.boot(merchant, { user_id: 'new' });
    await flow.syncAndSettle(merchant, orderOf('walk-in'), orderOf('walk-in', { order_id: 'second' }));
    const act = { reason: 'they said so', dry_run: false };
    const refer = (member: string, body: object) =>
      browser.post(`/members/${member}/referrer`, { referrer: 'ann', key: member, ...act, ...body });
    const sums = { rewards: 2, totals: [{ unit: 'points', amount: 6_000 }] };
    const expected = { referrer_member_id: 'ann', withdrawn: { rewards: 0, totals: [] }, given: sums };
    const fromOrder = { from_order_id: 'of-walk-in' };
    expect((await refer('walk-in', { ...fromOrder, dry_run: true })).data).toEqual(expected);
    expect((await refer('walk-in', fromOrder)).data).toEqual(expected);
    expect((await refer('new', {})).data).toMatchObject({ given: { rewards: 0 } });
    expect((await refer('nobody', {})).status).toBe(404);
    await flow.queues.settled();
    const grant = { role: 'referrer', amount: 70, reason: 'promised', key: 'grant' };
    expect((await browser.post('/orders/second/rewards', grant)).status).toBe(200);
    const merge = { into_member_id: 'newer', reason: 'renamed', key: 'merge', dry_run: false };
    expect((await browser.post('/members/new/merge', merge)).status).toBe(200);
    const pageOf = async (member: string) => (await browser.get(`/members/${member}`)).data as MemberView;
    const ann = await pageOf('ann');
    const { items } = (await browser.get('/orders?referred=all')).data as Page<OrderListItem>;
    const revenues = items.map(({ outcome }) => outcome.referred_revenue ?? 0);
    expect(ann.totals).toEqual({
      orders: 0,
      referred_orders: 2,
      referred_revenue: revenues.reduce((sum, one) => sum + one, 0),
      rewards: [{ state: 'confirmed', type: 'points', unit: 'points', rewards: 2, amount: 3_070 }],
      counted: null,
    });
    const movedBy = ann.referees.map((one) => `${one.referee_member_id} by ${one.moves[0]?.moved_by}`);
    expect(movedBy.toSorted()).toEqual([`newer by ${email}`, `walk-in by ${email}`]);
    expect((await pageOf('walk-in')).totals).toMatchObject({ orders: 2, referred_orders: 0 });
    expect((await pageOf('new')).merges).toMatchObject([{ former_member_id: 'new', merged_by: email }]);
    const { explanation } = (await browser.get('/orders/second')).data as OrderResponse;
    const by = (what: string) => explanation.timeline.filter((one) => one.what === what);
    for (const what of ['link_moved', 'corrected']) expect(by(what)).toMatchObject([{ by: email }]);
  });

  it('says that no webhook was registered, and leaves out rewards that another one has replaced', async () => {
    const other = await running.signUp();
    await flow.link(other.merchant, 'ann', 'ben');
    await flow.syncAndSettle(other.merchant, orderOf('ben'));
    const before = await outcomeOf('of-ben', other);
    expect(before.rewards.map(({ member_id: member, sending }) => [member, sending])).toEqual([
      ['ben', 'no_webhook'],
      ['ann', 'no_webhook'],
    ]);
    const adjusted = await other.browser.post(`/rewards/${before.rewards[0]?.id}/adjust`, {
      amount: 500,
      reason: 'half of it',
      exceed_limits: false,
      key: 'one',
    });
    expect(adjusted.status).toBeLessThan(300);
    const { rewards, more_rewards: more } = await outcomeOf('of-ben', other);
    expect(rewards.map(({ amount, state }) => [amount, state])).toEqual([
      [500, 'confirmed'],
      [3_000, 'confirmed'],
    ]);
    expect(more).toBe(0);
  });
});

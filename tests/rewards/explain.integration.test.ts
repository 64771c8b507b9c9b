import type { Order } from '@rewardhook/contract';
import { publishProgram } from '@rewardhook/database';
import { defaultTerms, parseTerms } from '@rewardhook/rewards';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildOrder, hoursAgo } from '@rewardhook/testing';
import { ageOrders } from '@rewardhook/testing/servers';
import { linkPath } from '../harness/call-api.ts';
import type { Answer } from '../harness/call-api.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('explain', () => {
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

  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

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
    await publishProgram(flow.database, merchant.id, parseTerms({ minimumPaidAmount: 30_000 }));
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
    await publishProgram(flow.database, merchant.id, parseTerms({ minimumPaidAmount: 30_000 }));
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
    await publishProgram(
      flow.database,
      merchant.id,
      parseTerms({ referrer: null, minimumPaidAmount: 30_000 }),
    );
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

  it('answers 404 for an unknown order, and requires a secret key', async () => {
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'mine' }));
    expect((await ask('mine')).status).toBe(200);
    expect((await ask('nothing')).status).toBe(404);
    expect((await ask('mine', merchant.publicKey)).status).toBe(401);
  });
});

describe('The response of a link', () => {
  const rule: FlatTerms = { earlierOrders: 'count' };

  interface EarlierOrders {
    orders: {
      order_id: string;
      rewards: { role: string; member_id: string; amount: number; unit: string }[];
    }[];
    totals: { unit: string; amount: number }[];
    complete: boolean;
  }
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await publishProgram(flow.database, merchant.id, parseTerms(rule));
  });

  const link = (body: object = {}) =>
    flow.call(
      linkPath,
      { referrer_member_id: 'ann', referee_member_id: 'bob', ...body },
      { key: merchant.secretKey },
    );
  const earlierOrders = ({ body }: Awaited<ReturnType<typeof link>>) =>
    body.data['earlier_orders'] as EarlierOrders;
  const rewards = async () =>
    (await flow.database.reward.findMany({ where: { merchantId: merchant.id, state: 'confirmed' } }))
      .map(({ orderId, memberId, amount }) => `${orderId} ${memberId} ${amount}`)
      .toSorted((one, other) => one.localeCompare(other));
  const asRewards = ({ orders }: EarlierOrders) =>
    orders
      .flatMap(({ order_id, rewards: given }) =>
        given.map(({ member_id, amount }) => `${order_id} ${member_id} ${amount}`),
      )
      .toSorted((one, other) => one.localeCompare(other));

  it('says what the orders from before earn, as the evaluator then decides', async () => {
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'second', member_id: 'bob', order_date: '2026-11-02T00:00:00Z' }),
      buildOrder({ order_id: 'first', member_id: 'bob', order_date: '2026-11-01T00:00:00Z' }),
    );
    const dry = await link({ dry_run: true });
    expect([dry.status, dry.body.data['dry_run']]).toEqual([200, true]);
    expect(earlierOrders(dry).totals).toEqual([{ unit: 'points', amount: 6_000 }]);
    await flow.queues.settled();
    expect([
      await rewards(),
      await flow.database.referral.count({ where: { merchantId: merchant.id } }),
    ]).toEqual([[], 0]);
    const linked = await link();
    expect([linked.status, linked.body.data['dry_run']]).toEqual([201, false]);
    expect(earlierOrders(linked)).toEqual(earlierOrders(dry));
    await flow.queues.settled();
    expect(await rewards()).toEqual(['first ann 3000', 'first bob 3000']);
    expect(asRewards(earlierOrders(dry))).toEqual(await rewards());
    const again = await link();
    expect([again.status, earlierOrders(again)]).toEqual([200, { orders: [], totals: [], complete: true }]);
  });

  it('lists no order under terms that ignore earlier orders, and explain says so', async () => {
    await publishProgram(flow.database, merchant.id, defaultTerms);
    const [old, recent] = [48, 20].map((hours) =>
      buildOrder({ member_id: 'bob', first_order: true, order_date: hoursAgo(hours) }),
    ) as [Order, Order];
    await flow.syncAndSettle(merchant, old);
    expect(earlierOrders(await link())).toEqual({ orders: [], totals: [], complete: true });
    await flow.queues.settled();
    expect(await rewards()).toEqual([]);
    const path = `/api/open/orders/${old.order_id}/explain/`;
    const explained = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    expect(explained.body).toMatchObject({
      data: {
        decision: { reason: 'before_link' },
        counterfactual: expect.stringContaining('if it had been placed after the member was linked'),
      },
    });
    await flow.syncAndSettle(merchant, recent);
    expect(await rewards()).toHaveLength(2);
  });

  it('lists at most 20 orders and adds up all of them, within the limits of the program', async () => {
    await publishProgram(
      flow.database,
      merchant.id,
      parseTerms({
        ...rule,
        trigger: 'every_order',
        referrerCap: { total: 5, month: null },
        budget: 100_000,
      }),
    );
    const dates = Array.from(
      { length: 30 },
      (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}T00:00:00Z`,
    );
    await flow.syncAndSettle(
      merchant,
      ...dates.map((order_date, index) =>
        buildOrder({ order_id: `o${index}`, member_id: 'bob', order_date }),
      ),
    );
    const preview = earlierOrders(await link());
    await flow.queues.settled();
    expect(preview.orders.map(({ order_id: id }) => id)).toEqual(
      dates.slice(0, 20).map((_, index) => `o${index}`),
    );
    const given = await flow.database.reward.findMany({
      where: { merchantId: merchant.id, state: 'confirmed' },
    });
    const sum = given.reduce((total, { amount }) => total + Number(amount), 0);
    expect(preview.totals).toEqual([{ unit: 'points', amount: sum }]);
    expect(given.filter(({ role }) => role === 'referrer')).toHaveLength(5);
  });

  it('is refused in a dry run as it would be', async () => {
    await link();
    expect((await link({ referrer_member_id: 'eve', dry_run: true })).status).toBe(409);
    const cycle = await link({ referrer_member_id: 'bob', referee_member_id: 'ann', dry_run: true });
    expect([cycle.status, cycle.body.code]).toEqual([409, 'referral_cycle']);
    expect((await link({ dry_run: 'yes' })).body.params).toEqual({ dry_run: 'must be true or false' });
  });
});

describe('An order with a paid_at in the future', () => {
  const minuteMs = 60_000;
  const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.link(merchant, 'ann', 'bob');
  });

  async function explain(orderId: string) {
    const path = `/api/open/orders/${orderId}/explain/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    return body.data as { decision: { reason: string; checks: unknown[] }; counterfactual: string | null };
  }

  it('counts as paid when the time is at most 5 minutes ahead', async () => {
    const order = buildOrder({ member_id: 'bob', paid_at: inFuture(4 * minuteMs) });
    await flow.syncAndSettle(merchant, order);
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });

  it('earns nothing before, and a reward without being sent again when the time is 5 minutes ahead', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue');
    const paid_at = inFuture(5 * minuteMs + 2_000);
    const order = buildOrder({ member_id: 'bob', paid_at });
    await flow.syncAndSettle(merchant, order);
    const { decision, counterfactual } = await explain(order.order_id);
    expect(decision.reason).toBe('not_paid_yet');
    const counts = new Date(Date.parse(paid_at) - 5 * minuteMs).toISOString().replace('Z', '000Z');
    expect(decision.checks).toContainEqual({
      check: 'payment_time',
      value: paid_at.replace('Z', '000Z'),
      threshold: counts,
      passed: false,
    });
    expect(counterfactual).toContain('if its paid_at had been reached');
    await hook.waitFor(() => hook.received.length === 2, 10_000);
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });

  it('counts as unpaid for the other orders of its member, and takes the reward when it begins to count', async () => {
    const early = buildOrder({
      member_id: 'bob',
      order_date: hoursAgo(3),
      paid_at: inFuture(60 * minuteMs),
    });
    const late = buildOrder({ member_id: 'bob', order_date: hoursAgo(2) });
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.syncAndSettle(merchant, early, late);
    expect((await explain(late.order_id)).decision.reason).toBe('rewarded');
    await hook.waitFor(() => hook.received.length === 2, 10_000);
    await flow.database.order.updateMany({
      where: { merchantId: merchant.id, orderId: early.order_id },
      data: { countsAsPaidAt: new Date() },
    });
    await hook.waitFor(() => hook.received.length === 6, 10_000);
    await flow.queues.settled();
    expect((await explain(early.order_id)).decision.reason).toBe('rewarded');
    expect((await explain(late.order_id)).decision.reason).toBe('not_first_order');
  });

  it('that was rewarded before loses its reward', async () => {
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, order);
    await flow.syncAndSettle(merchant, { ...order, paid_at: inFuture(60 * minuteMs) });
    expect((await explain(order.order_id)).decision).toMatchObject({
      outcome: 'no_reward',
      reason: 'not_paid_yet',
    });
    const rewards = await flow.database.reward.findMany({ where: { merchantId: merchant.id } });
    expect(rewards.map(({ state }) => state)).toEqual(['revoked', 'revoked']);
  });
});

describe('A demo order that was moved into the past', () => {
  interface Entry {
    at: string;
    what: string;
    [detail: string]: unknown;
  }

  let shop: Merchant;
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const returnedAt = daysAgo(15);
  const placed = [20, 12, 3].map((days, index) =>
    buildOrder({
      order_id: `B-${index}`,
      member_id: index === 1 ? 'walk-in' : 'bob',
      order_date: daysAgo(days),
      paid_at: daysAgo(days - 0.1),
    }),
  );

  beforeAll(async () => {
    shop = await flow.openMerchant();
    await publishProgram(flow.database, shop.id, parseTerms({ earlierOrders: 'count' }));
    await flow.receiver(shop, 'reward.issue,reward.revoke');
    await flow.link(shop, 'ann', 'bob');
    await flow.syncAndSettle(shop, ...placed);
    await flow.syncAndSettle(shop, { ...placed[0], returned_at: returnedAt });
    await ageOrders(flow.environment.databaseUrl, shop.id);
  });

  const timelineOf = async (orderId: string): Promise<Entry[]> => {
    const { timeline } = await flow.admin('order explain', { merchant: shop.id, order: orderId });
    return timeline as Entry[];
  };

  it.each(['B-0', 'B-1', 'B-2'])('has a timeline in chronological order: %s', async (orderId) => {
    const timeline = await timelineOf(orderId);
    const indexOf = (what: string, details: Record<string, unknown> = {}) =>
      timeline.findIndex(
        (entry) =>
          entry.what === what && Object.entries(details).every(([name, value]) => entry[name] === value),
      );
    // Each entry follows its cause.
    const causes: Record<string, (entry: Entry) => number[]> = {
      evaluated: (entry) => [
        indexOf('member_linked'),
        indexOf('version_received', { version: entry['order_version'] }),
      ],
      reward_given: () => [indexOf('evaluated')],
      reward_confirmed: ({ reward_id }) => [indexOf('reward_given', { reward_id })],
      reward_revoked: ({ reward_id }) => [indexOf('reward_confirmed', { reward_id })],
      event: ({ reward_id, type }) => [
        indexOf(type === 'reward.issue' ? 'reward_confirmed' : 'reward_revoked', { reward_id }),
      ],
      delivery: ({ event_id }) => [indexOf('event', { event_id })],
      attempt: ({ delivery_id }) => [indexOf('delivery', { delivery_id })],
    };
    for (const [index, entry] of timeline.entries())
      for (const cause of causes[entry.what]?.(entry) ?? [])
        expect({ entry, cause: timeline[cause], inOrder: cause >= 0 && cause < index }).toMatchObject({
          inOrder: true,
        });
    const received = timeline.find(({ what }) => what === 'version_received')?.at ?? '';
    const order = placed.find(({ order_id }) => order_id === orderId);
    expect(Math.abs(Date.parse(received) - Date.parse(order?.paid_at ?? ''))).toBeLessThan(60_000);
  });

  it('was returned at the time of its return, and its reward was revoked then', async () => {
    const timeline = await timelineOf('B-0');
    const [paid, returned] = [placed[0]?.paid_at, returnedAt].map((at) => Date.parse(at ?? ''));
    const near = (at: string) =>
      [paid, returned].findIndex((time) => Math.abs(Date.parse(at) - (time ?? 0)) < 60_000);
    const when = (what: string) =>
      timeline.filter((entry) => entry.what === what).map(({ at }) => ['paid', 'returned'][near(at)]);
    expect(when('version_received')).toEqual(['paid', 'returned']);
    expect(when('reward_confirmed')).toEqual(['paid', 'paid']);
    expect(when('reward_revoked')).toEqual(['returned', 'returned']);
    expect(when('attempt')).toEqual(['paid', 'paid', 'returned', 'returned']);
  });

  it('is named by its deliveries, with the type of their event', async () => {
    const { id } = await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: shop.id } });
    const path = `/api/open/webhooks/${id}/deliveries/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: shop.secretKey });
    const deliveries = body.data['deliveries'] as { event_type: string | null; order_id: string | null }[];
    expect(deliveries.map(({ event_type, order_id }) => `${event_type} ${order_id}`).toSorted()).toEqual(
      ['reward.issue B-0', 'reward.issue B-2', 'reward.revoke B-0'].flatMap((one) => [one, one]),
    );
  });

  it('leaves a database in which doctor finds no problem, and accepts a newer version', async () => {
    await flow.database
      .$executeRaw`UPDATE orders SET updated_at = least(updated_at, now() - interval '1 hour')`;
    const { faults } = await flow.admin('doctor', {});
    expect(faults).toMatchObject({ ordersNotEvaluated: 0, eventsOutOfOrder: 0, timesOutOfOrder: 0 });
    await flow.syncAndSettle(shop, { ...placed[2], cancelled_at: daysAgo(0) });
    expect((await timelineOf('B-2')).filter(({ what }) => what === 'reward_revoked')).toHaveLength(2);
  });
});

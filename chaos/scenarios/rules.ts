import { setTimeout } from 'node:timers/promises';
import { inBackground } from '../in-background.ts';
import type { SentItem, SentOrder } from '../ledger/entries.ts';
import { makeOrder } from '../shop/make-order.ts';
import { waitForRewards, waitUntilDecided } from '../shop/member-calls.ts';
import { readList } from '../shop/observe-shop.ts';
import type { ObservedReferral, ObservedReward } from '../shop/observe-shop.ts';
import type { Rule, Shop } from '../shop/open-shop.ts';
import type { Service } from '../service/open-service.ts';
import type { Scenario } from './scenario.ts';

/** Rewards a referral once, with a hold of two seconds. */
const firstOrder: Rule = {
  trigger: 'first_order',
  referee: { type: 'points', unit: 'points', amount: { kind: 'percent', rate: 10, cap: 5_000 } },
  referrer: { type: 'coupon', unit: 'THANKS-WON', amount: { kind: 'percent', rate: 2.5 } },
  minimumPaidAmount: 10_000,
  windowDays: 30,
  holdDays: 2 / 86_400,
  refunds: 'keep',
};

/** Rewards every order at once, those from before the link too, and two of a referrer in each month. */
const everyOrder: Rule = {
  trigger: 'every_order',
  referee: { type: 'points', unit: 'points', amount: { kind: 'percent', rate: 1 } },
  referrer: { type: 'points', unit: 'points', amount: { kind: 'percent', rate: 2 } },
  referrerCap: { month: 2 },
  earlierOrders: 'count',
};

/** The reasons for which this scenario has an order each. */
const reasons = (
  'rewarded hold under_review not_new not_paid not_paid_yet cancelled returned unsupported_currency below_minimum before_link ' +
  'outside_window not_first_order already_rewarded revoked_by_person referral_rejected nothing_to_give referrer_cap_reached'
).split(' ');

/** Where the months of the second shop begin five hours or four after those of UTC. */
const timeZone = 'America/New_York';

const dayMs = 86_400_000;
const at = (time: number) => new Date(time).toISOString();
const daysFromNow = (days: number) => at(Date.now() + days * dayMs);

/** Each rule of docs/rewards.md that says whether an order earns something, and how much. */
export const rules: Scenario = {
  name: 'rules',
  what: 'Orders of every kind meet rules of both triggers, with holds, caps, windows, refunds, reviews, boots and links',
  situation: `for each of ${reasons.length} reason codes an order was decided with it`,
  besideFaults: false,
  async run({ service, shop: openShop, round, reached }) {
    const [first, every] = await Promise.all([
      openShop('first order', { rule: firstOrder }),
      openShop('every order', { rule: everyOrder, timeZone }),
    ]);
    const start = performance.now();
    const [ofFirst, ofEvery] = await Promise.all([
      sendToFirst(first, round, service),
      sendToEvery(every, round),
    ]);
    const orders = [
      ...ofFirst.map((id) => [first, id] as const),
      ...ofEvery.map((id) => [every, id] as const),
    ];
    const seen = new Set(await Promise.all(orders.map(([shop, id]) => waitUntilDecided(shop, id))));
    // Then every hold of two seconds, and the payment in the future, has had the time that the checks allow for its effect.
    await setTimeout(Math.max(0, start + 16_000 - performance.now()));
    if (reasons.every((reason) => seen.has(reason))) reached();
  },
};

/** Sends the orders of the shop that rewards the first one. Returns their ids. */
async function sendToFirst(shop: Shop, round: string, service: Service): Promise<string[]> {
  const sent: string[] = [];
  /** Makes an order of a member, and notes its id. */
  const order = (member: string, name: string, fields: Partial<SentOrder> = {}) => {
    const id = `${round}-${member}-${name}`;
    if (!sent.includes(id)) sent.push(id);
    return makeOrder({ order_id: id, member_id: `${round}-${member}`, ...fields });
  };
  const referrer = `${round}-referrer`;
  const names = (
    'plain unpaid tomorrow soon held cancelled items returned dollars small free partly late old second marked moved refunded ' +
    'capped taken same contended'
  ).split(' ');
  await Promise.all(names.map((name) => shop.link(`${round}-${name}`, referrer)));
  await bootMembers(shop, round, order);
  const reviewed = inBackground(reviewMembers(shop, round, service, order));
  const ago = daysFromNow(-0.5);
  const earlier = { order_date: ago, paid_at: ago };
  // Its hold lasts longer than the scenario.
  const soon = at(Date.now() + 240_000);
  await shop.syncUntilAccepted([
    order('plain', 'first'),
    order('capped', 'large', { order_amount: 900_000, paid_amount: 900_000 }),
    order('unpaid', 'first', { paid_at: null }),
    order('tomorrow', 'first', { paid_at: daysFromNow(1) }),
    // Counts as paid two seconds later.
    order('soon', 'first', { paid_at: at(Date.now() + 302_000) }),
    order('held', 'first', { order_amount: 40_000, paid_amount: 40_000, paid_at: soon }),
    order('cancelled', 'first', { cancelled_at: daysFromNow(0) }),
    order('items', 'earlier', { ...earlier, items: [item('a', 20_000, true), item('b', 10_000, true)] }),
    order('items', 'first'),
    order('returned', 'first', { returned_at: daysFromNow(0) }),
    order('dollars', 'first', { currency: 'USD' }),
    order('small', 'first', { paid_amount: 9_999 }),
    order('free', 'first', { paid_amount: 12_000, shipping_amount: 12_000 }),
    order('partly', 'first', {
      order_amount: 30_000,
      paid_amount: 30_000,
      shipping_amount: 3_000,
      items: [item('a', 15_000, true), item('b', 12_000, false)],
    }),
    order('late', 'first', { order_date: daysFromNow(31), paid_at: daysFromNow(0) }),
    order('old', 'first', { order_date: daysFromNow(-3), paid_at: daysFromNow(-3) }),
    order('second', 'earlier', { ...earlier, paid_amount: 5_000 }),
    order('second', 'first'),
    order('marked', 'earlier', { ...earlier, paid_amount: 5_000 }),
    order('marked', 'first', { first_order: true }),
    // Both have one date: the one with the smaller id has the reward.
    order('same', 'b', earlier),
    order('same', 'a', earlier),
    order('refunded', 'first', { order_amount: 40_000, paid_amount: 40_000 }),
    order('taken', 'first', earlier),
    order('moved', 'later'),
    order('contended', 'later', { first_order: true }),
  ]);
  await Promise.all(['moved', 'contended'].map((name) => waitUntilDecided(shop, `${round}-${name}-later`)));
  await shop.syncUntilAccepted([
    // Stored after the orders that they take the reward from.
    order('moved', 'first', earlier),
    order('contended', 'first', { ...earlier, first_order: true }),
    order('held', 'first', { order_amount: 40_000, paid_amount: 25_000, paid_at: soon }),
  ]);
  const areConfirmed = (rewards: ObservedReward[]) =>
    rewards.length >= 2 && rewards.every(({ state }) => state === 'confirmed');
  await waitForRewards(shop, `${round}-refunded-first`, areConfirmed);
  const taken = await waitForRewards(shop, `${round}-taken-first`, areConfirmed);
  await Promise.all([
    shop.syncUntilAccepted([order('refunded', 'first', { order_amount: 40_000, paid_amount: 15_000 })]),
    ...taken.map(({ id }) =>
      shop.repeat({
        call: 'revoke',
        path: `/api/open/rewards/${id}/revoke/`,
        idempotencyKey: `revoke ${id}`,
        body: { reason: 'taken back by the harness' },
      }),
    ),
    reviewed,
  ]);
  return sent;
}

/** Members linked by a boot: new ones, and old ones, some of which the server of the shop links too. */
async function bootMembers(
  shop: Shop,
  round: string,
  order: (member: string, name: string, fields?: Partial<SentOrder>) => SentOrder,
): Promise<void> {
  const [one, other] = await Promise.all(['inviter', 'other'].map((name) => shop.boot(`${round}-${name}`)));
  if (one === undefined || other === undefined) throw new Error('a boot was answered without a code');
  const longAgo = { order_date: daysFromNow(-10), paid_at: daysFromNow(-10) };
  await Promise.all(
    ['new', 'not-new', 'linked-too', 'found-out'].map((name) => shop.boot(`${round}-${name}`, one)),
  );
  await shop.syncUntilAccepted([
    order('new', 'first'),
    order('not-new', 'history', longAgo),
    order('not-new', 'first', { first_order: true }),
    order('linked-too', 'history', { ...longAgo, cancelled_at: daysFromNow(-9) }),
    order('linked-too', 'first'),
    order('found-out', 'first', { first_order: true }),
  ]);
  // The server links two of them to another member: the boot counts for the one who was new.
  for (const name of ['linked-too', 'found-out'])
    await shop.repeat({
      call: 'link',
      path: '/api/open/members/link/',
      body: { referee_member_id: `${round}-${name}`, referrer_member_id: `${round}-other` },
    });
  // A history that is sent afterwards shows that the other one was not.
  await shop.syncUntilAccepted([order('found-out', 'history', longAgo)]);
}

/** Members whose ids look like others: their rewards wait for a person, who accepts one of them and rejects another. */
async function reviewMembers(
  shop: Shop,
  round: string,
  { admin }: Service,
  order: (member: string, name: string, fields?: Partial<SentOrder>) => SentOrder,
): Promise<void> {
  const members = ['waiting', 'accepted', 'rejected'];
  await Promise.all(members.map((name) => shop.link(`${round}-${name.toUpperCase()}`, `${round}-inviter`)));
  await Promise.all(members.map((name) => shop.link(`${round}-${name}`, `${round}-referrer`)));
  await shop.syncUntilAccepted(members.map((name) => order(name, 'first')));
  const referrals = await readList<ObservedReferral>(
    ...([shop, '/api/open/referrals/?limit=200&review=pending', 'referrals'] as const),
  );
  const idOf = (name: string) => {
    const found = referrals.find((one) => one.referee_member_id === `${round}-${name}`);
    if (!found) throw new Error(`the referral of ${name} needs no review`);
    return found.id;
  };
  const of = (name: string) => ['--merchant', shop.merchantId, '--referral', idOf(name)];
  await Promise.all([
    admin('referral', 'accept', ...of('accepted')),
    admin('referral', 'reject', ...of('rejected')),
  ]);
}

/** Sends the orders of the shop that rewards each of them. Returns their ids. */
async function sendToEvery(shop: Shop, round: string): Promise<string[]> {
  const [member, old, small] = [`${round}-member`, `${round}-old`, `${round}-small`];
  await shop.link(member, `${round}-referrer`);
  await shop.link(small, `${round}-of-small`);
  const border = startOfMonth();
  const order = (name: string, paid: number, amount: number, of = member) =>
    makeOrder({
      order_id: `${round}-${name}`,
      member_id: of,
      order_date: at(paid),
      paid_at: at(paid),
      order_amount: amount,
      paid_amount: amount,
    });
  // Two in each of two months: in UTC all of them are in one.
  const atBorder = [
    order('before-1', border - 1_000, 10_000),
    order('before-2', border - 2_000, 10_000),
    order('after-1', border, 10_000),
    order('after-2', border + 1_000, 10_000),
  ];
  await shop.syncUntilAccepted(atBorder);
  await Promise.all(atBorder.map(({ order_id: id }) => waitUntilDecided(shop, id)));
  const now = Date.now();
  const others = [
    // The referrer has their two of each month, and of the second one the referee gets nothing.
    order('before-3', border - 3_000, 10_000),
    order('after-3', border + 2_000, 60),
    order('nothing', now, 30, small),
    order('refunded', now, 200_000, small),
    order('raised', now, 50_000, small),
    order('from-before', now - 3 * dayMs, 10_000, old),
  ];
  await shop.syncUntilAccepted(others);
  await Promise.all(
    others.filter((one) => one.member_id !== old).map(({ order_id: id }) => waitUntilDecided(shop, id)),
  );
  await shop.link(old, `${round}-of-old`);
  await shop.syncUntilAccepted([
    { ...order('refunded', now, 200_000, small), paid_amount: 120_000 },
    { ...order('raised', now, 50_000, small), paid_amount: 80_000 },
    { ...order('before-1', border - 1_000, 10_000), cancelled_at: at(now) },
  ]);
  // An order that did not fit is evaluated again only when it changes.
  await waitForRewards(shop, `${round}-before-1`, (rewards) =>
    rewards.every(({ state }) => state === 'revoked'),
  );
  await shop.syncUntilAccepted([{ ...order('before-3', border - 3_000, 10_000), paid_amount: 9_000 }]);
  return [...atBorder, ...others].map(({ order_id: id }) => id);
}

/** When the month began in the time zone of the second shop. */
function startOfMonth(): number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' });
  const month = format.format(Date.now()).slice(0, 7);
  const start = Date.parse(`${month}-01T00:00:00Z`);
  // It is west of Greenwich, by whole hours.
  for (let hours = 0; ; hours += 1)
    if (format.format(start + hours * 3_600_000).startsWith(month)) return start + hours * 3_600_000;
}

const item = (id: string, paid: number, isCancelled: boolean): SentItem => ({
  product_id: id,
  product_name: id,
  quantity: 1,
  price: paid,
  paid_amount: paid,
  cancelled_at: isCancelled ? daysFromNow(0) : null,
});

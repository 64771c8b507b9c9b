import fc from 'fast-check';
import type { Order } from '@rewardhook/contract';
import type { FlatTerms } from '@rewardhook/rewards';

/** A step of a merchant's history. */
export type ModelCommand =
  | { kind: 'send'; version: number; order: Order }
  /** Repeats an earlier send. */
  | { kind: 'resend'; which: number }
  | { kind: 'link'; referrer: string; referee: string }
  | { kind: 'publish'; rule: Required<FlatTerms> }
  | { kind: 'endHolds' }
  /** The orders that are stored with a `paid_at` in the future begin to count as paid. */
  | { kind: 'reachPayments' }
  | { kind: 'evaluate' };

const referees = ['ann', 'ben'] as const;
const at = '2026-11-10T10:00:00Z';
/** A `paid_at` within the hold of the rules. */
const yesterday = new Date(Date.now() - 86_400_000).toISOString();
/** Dates of orders, all before the links of a history; the first is earlier than a link by more than a day. */
const orderDates = [72, 3, 2].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString());
/** A `paid_at` in the future: not paid until the payments are reached. */
const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
/** In the order of their bytes in UTF-8: neither the code units of JavaScript nor the collation of the database give this order. */
const orderIds = ['O2', 'o1', 'o3', '\u{ff0f}', '\u{1f600}'];
const maybe = fc.option(fc.constant(at), { nil: null, freq: 2 });

const itemArbitrary = fc.record({
  product_id: fc.constant('p'),
  product_name: fc.constant('P'),
  quantity: fc.constant(1),
  price: fc.constant(10_000),
  paid_amount: fc.constantFrom(5_000, 10_000),
  sku: fc.constant(''),
  cancelled_at: fc.oneof(
    { arbitrary: fc.constant(null), weight: 3 },
    { arbitrary: fc.constant(at), weight: 1 },
  ),
});

/** The same product, cancelled alone. */
const cancelled = <T>(item: T) => ({ ...item, cancelled_at: at });

/** With shipping, 3,000 is a free order, and a percentage of 3,010 may come to nothing. */
const paidAmount = fc.constantFrom(0, 3_000, 3_010, 5_000, 20_000, 20_000, 30_000, 30_000, 40_000);

/** One state of an order of one of the referees. */
export const orderArbitrary: fc.Arbitrary<Order> = fc.record({
  order_id: fc.constantFrom('o1', 'o1', ...orderIds),
  // Mostly one member: the rules depend on the other orders of the same member.
  member_id: fc.constantFrom('ann', 'ann', 'ann', 'ben'),
  order_amount: fc.constant(30_000),
  paid_amount: paidAmount,
  shipping_amount: fc.constantFrom(0, 3_000),
  order_date: fc.constantFrom(...orderDates),
  // Several orders of a member count as the first: marked ones, and those of one date.
  first_order: fc.oneof(
    { arbitrary: fc.constant(false), weight: 2 },
    { arbitrary: fc.constant(true), weight: 1 },
  ),
  paid_at: fc.oneof(
    { arbitrary: fc.constantFrom(at, yesterday), weight: 9 },
    { arbitrary: fc.constantFrom(null, inAYear), weight: 1 },
  ),
  cancelled_at: fc.oneof({ arbitrary: fc.constant(null), weight: 9 }, { arbitrary: maybe, weight: 1 }),
  returned_at: fc.oneof({ arbitrary: fc.constant(null), weight: 9 }, { arbitrary: maybe, weight: 1 }),
  currency: fc.oneof(
    { arbitrary: fc.constant(null), weight: 11 },
    { arbitrary: fc.constant('USD'), weight: 1 },
  ),
  // Versions are microseconds of the first 100 seconds of 1970.
  updated_at: fc.option(
    fc.integer({ min: 0, max: 110_000 }).map((ms) => new Date(ms).toISOString()),
    { nil: null, freq: 1 },
  ),
  items: fc.oneof(
    { arbitrary: fc.array(itemArbitrary, { maxLength: 2 }), weight: 9 },
    { arbitrary: fc.array(itemArbitrary.map(cancelled), { minLength: 1, maxLength: 2 }), weight: 1 },
  ),
});

const benefitArbitrary: fc.Arbitrary<Required<FlatTerms>['referee']> = fc.option(
  fc.record({
    type: fc.constantFrom('points' as const, 'coupon' as const),
    unit: fc.constant('points'),
    amount: fc.oneof(
      fc.record({ kind: fc.constant('fixed' as const), value: fc.constantFrom(0, 1_000, 3_000) }),
      fc.record({
        kind: fc.constant('percent' as const),
        rate: fc.constantFrom(2.5, 10),
        cap: fc.constantFrom(null, null, 500),
      }),
    ),
  }),
  { nil: null, freq: 5 },
);

/** Rules without limits: whether a limit applies depends on the history, which the model does not read. */
export const ruleArbitrary: fc.Arbitrary<Required<FlatTerms>> = fc.record({
  trigger: fc.constantFrom('first_order' as const, 'every_order' as const),
  referee: benefitArbitrary,
  referrer: benefitArbitrary,
  minimumPaidAmount: fc.constantFrom(0, 10_000),
  windowDays: fc.constant(null),
  holdDays: fc.constantFrom(0, 7),
  referrerCap: fc.constant({ total: null, month: null }),
  budget: fc.constant(null),
  refunds: fc.constantFrom('adjust' as const, 'keep' as const),
  earlierOrders: fc.constantFrom('count' as const, 'ignore' as const),
});

const limitedRuleArbitrary = fc
  .tuple(ruleArbitrary, fc.constantFrom(null, 1, 2), fc.constantFrom(null, 2_500, 4_000))
  .map(([rule, total, budget]) => ({ ...rule, referrerCap: { total, month: total }, budget }));

const commandArbitrary = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      version: fc.integer({ min: 1, max: 1_000_000 }),
      order: orderArbitrary,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      referrer: fc.constantFrom('rex', 'roy'),
      referee: fc.constantFrom(...referees),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('publish' as const), rule: limitedRuleArbitrary }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resend' as const), which: fc.nat(20) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), which: fc.nat(20), paid_amount: paidAmount }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'endHolds' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reachPayments' as const }) },
  { weight: 8, arbitrary: fc.constant({ kind: 'evaluate' as const }) },
);

/** Most members are linked before anything is sent, so that most orders can earn something. */
const firstLinkArbitrary = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constant<ModelCommand[]>([{ kind: 'link', referrer: 'rex', referee: 'ann' }]),
  },
  { weight: 1, arbitrary: fc.constant<ModelCommand[]>([]) },
);

type Send = Extract<ModelCommand, { kind: 'send' }>;

/** A send with a version that no other command has. */
const sent = (command: Send, index: number): Send => ({
  ...command,
  version: command.version * 100 + index,
});

/** An earlier send with another amount, newer than all that are not edited. */
function edited(
  sends: Send[],
  { which, paid_amount }: { which: number; paid_amount: number },
  index: number,
): Send | undefined {
  const send = sends[which % sends.length];
  return (
    send && {
      ...send,
      version: 200_000_000 + index,
      order: { ...send.order, paid_amount, updated_at: null },
    }
  );
}

/** A history. Each send has a random version of its own, so that versions arrive in any order. */
export const historyArbitrary: fc.Arbitrary<ModelCommand[]> = fc
  .tuple(firstLinkArbitrary, fc.array(commandArbitrary, { minLength: 10, maxLength: 30, size: 'max' }))
  .map(([links, more]) => {
    const commands = [...links, ...more];
    const sends: Send[] = [];
    return commands.map((command, index): ModelCommand => {
      if (command.kind === 'resend') return sends[command.which % sends.length] ?? { kind: 'evaluate' };
      if (command.kind !== 'send' && command.kind !== 'edit') return command;
      const send = command.kind === 'send' ? sent(command, index) : edited(sends, command, index);
      if (!send) return { kind: 'evaluate' };
      sends.push(send);
      return send;
    });
  });

/** The rewards of one order by role. The amount of a confirmed one stands, unless it `follows` the order. */
export type ExpectedRoles = Partial<Record<'referee' | 'referrer', { amount: number; follows: boolean }>>;

/** The order that has the live rewards of a referral, or one that has its own under `every_order`; with these rewards. */
export interface ExpectedRewards {
  orderId: string;
  roles: ExpectedRoles;
}

/**
 * The newest state of each order (the greatest time, then version), with a `paid_at` in the past when it was stored as the payments were reached. Of two equal
 * versions the first one counts.
 */
function newest(history: ModelCommand[]): Order[] {
  const orders = new Map<string, { version: number; time: number; order: Order }>();
  for (const command of history) {
    if (command.kind === 'reachPayments')
      for (const [id, known] of orders)
        if (known.order.paid_at === inAYear)
          orders.set(id, { ...known, order: { ...known.order, paid_at: at } });
    if (command.kind !== 'send') continue;
    const known = orders.get(command.order.order_id);
    const { version, order } = command;
    const updatedAt = order.updated_at === null ? Infinity : Date.parse(order.updated_at) * 1_000;
    const time = Math.min(updatedAt, version);
    if (!known || known.time < time || (known.time === time && known.version < version))
      orders.set(order.order_id, { version, time, order });
  }
  return [...orders.values()].map(({ order }) => order);
}

/**
 * The live rewards that follow from the rule and the newest state of all orders. Under the first-order rule, of the orders that count
 * as the first and earn something, the one with the earliest date has them, then the one with the smaller id.
 */
export function expectedLive(rule: Required<FlatTerms>, history: ModelCommand[]): ExpectedRewards[] {
  const linked = new Set(history.flatMap((command) => (command.kind === 'link' ? [command.referee] : [])));
  return [...linked].flatMap((referee) => {
    const live = newest(history).filter((order) => order.member_id === referee && isPaid(order));
    const qualified = live.filter((order) => {
      const first = order.first_order || !live.some((other) => other.order_date < order.order_date);
      const enough =
        order.currency === null &&
        paid(order) >= rule.minimumPaidAmount &&
        paid(order) > order.shipping_amount;
      const inTime = rule.earlierOrders === 'count' || order.order_date !== orderDates[0];
      return enough && inTime && (rule.trigger === 'every_order' || first);
    });
    const earning = qualified
      .toSorted(
        (one, other) =>
          Date.parse(one.order_date) - Date.parse(other.order_date) ||
          orderIds.indexOf(one.order_id) - orderIds.indexOf(other.order_id),
      )
      .map((order) => ({ orderId: order.order_id, roles: rolesOf(rule, order) }))
      .filter(({ roles }) => Object.keys(roles).length > 0);
    return rule.trigger === 'every_order' ? earning : earning.slice(0, 1);
  });
}

function rolesOf(rule: Required<FlatTerms>, order: Order): ExpectedRoles {
  const roles: ExpectedRoles = {};
  for (const role of ['referee', 'referrer'] as const) {
    const benefit = rule[role];
    if (!benefit) continue;
    const amount = amountOf(benefit, order);
    const follows = benefit.type === 'points' && rule.refunds === 'adjust';
    if (amount > 0) roles[role] = { amount, follows: follows || benefit.amount.kind === 'fixed' };
  }
  return roles;
}

function amountOf({ amount }: NonNullable<FlatTerms['referee']>, order: Order): number {
  if (amount.kind === 'fixed') return amount.value;
  const earned = Math.floor(((paid(order) - order.shipping_amount) * amount.rate) / 100);
  return Math.min(earned, amount.cap ?? earned);
}

/** Whether an order is paid by now and neither cancelled, entirely or product by product, nor returned. */
function isPaid(order: Order): boolean {
  const everyProduct = order.items.length > 0 && keptItems(order).length === 0;
  const paidNow = order.paid_at !== null && order.paid_at !== inAYear;
  return paidNow && order.cancelled_at === null && order.returned_at === null && !everyProduct;
}

const keptItems = (order: Order) => order.items.filter(({ cancelled_at }) => cancelled_at === null);

function paid(order: Order): number {
  const kept = keptItems(order);
  if (kept.length === order.items.length) return order.paid_amount;
  const rest = kept.reduce((sum, item) => sum + item.paid_amount, order.shipping_amount);
  return Math.min(order.paid_amount, rest);
}

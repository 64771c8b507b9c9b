import { clockTolerance } from '../ledger/clock.ts';
import { groupBy } from '../ledger/group-by.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import type { ObservedExplanation, ObservedReward } from '../shop/observe-shop.ts';
import { rewardsByHand } from './corrections.ts';
import { finalOrders } from './final-orders.ts';
import type { FinalOrder } from './final-orders.ts';
import { otherLinkDue, referralsOf } from './referrals.ts';
import type { Referral } from './referrals.ts';
import { amountOf, inForceBetween, isLimited, roles, versionsOf } from './rules.ts';
import type { Benefit, Role, Rule, Version } from './rules.ts';

/*
 * What each order of a referred member earns when all work is done, after docs/rewards.md. An order that has rewards is evaluated
 * under the version of the rule that they were given under, another one under the version of its decision; a check of its own says whether
 * that version can have been in force.
 */

/** What an order must have. */
export interface Expected {
  order: FinalOrder;
  referral: Referral;
  /** The version of the rule that it was evaluated under. */
  version: Version;
  /** The codes of which its newest decision has one. */
  reasons: Set<string>;
  rewards: Record<Role, ExpectedReward | undefined>;
}

/** The reward of a role. */
export interface ExpectedReward {
  /** A limit can have kept it from being given. */
  mayBeMissing: boolean;
  memberId: string;
  type: string;
  unit: string;
  /** The amounts of which it has one. */
  amounts: Set<number>;
  states: Set<string>;
  /** When its hold ends, in milliseconds since 1970; undefined without one. */
  holdEnd: number | undefined;
  /** What the newest state of the order gives. */
  amount: number;
}

/** What all orders of a shop must have. */
export interface ExpectedRewards {
  orders: Expected[];
  /** Ids of orders of which the model does not know it, such as those of members who were erased. */
  leftOut: Set<string>;
  /** Links that are in force instead of others. */
  wrongLinks: string[];
}

/** When the state was read back that is compared, in milliseconds since 1970: all work was done at `settled`. */
export interface ReadAt {
  settled: number;
  ended: number;
}

const dayMs = 86_400_000;
/** How far ahead of the clock a payment may be dated and still count. */
const aheadMs = 5 * 60_000;
/** How long the end of a hold, or the time of a payment, may take to have its effect. */
const sweepMs = 10_000;

/** Computes what the orders of a shop must have. */
export function expectedRewards(shop: ShopHistory, readAt: ReadAt): ExpectedRewards {
  const facts = factsOf(shop, readAt);
  const { byReferee, leftOut: members } = referralsOf(shop);
  const ofMember = groupBy(finalOrders(shop).values(), ({ memberId }) => memberId);
  const result: ExpectedRewards = { orders: [], leftOut: new Set(), wrongLinks: [] };
  for (const [memberId, orders] of ofMember) {
    const referral = byReferee.get(memberId);
    if (
      members.has(memberId) ||
      orders.some((order) => isAtItsTime(order, readAt) || (referral && !hasKnownVersion(order, facts)))
    ) {
      for (const { orderId } of orders) result.leftOut.add(orderId);
    } else if (referral) {
      const paid = orders.filter((order) => countsAsPaid(order, readAt));
      const due = otherLinkDue(referral, (time) => paid.some((one) => one.orderDate < time - dayMs));
      if (due)
        result.wrongLinks.push(
          `the link of ${memberId} is that of a ${referral.source}, and must be the one to ${due.referrer} of a ${due.source}`,
        );
      result.orders.push(...expectedOf({ ...facts, referral, orders, paid }));
    }
  }
  return result;
}

/** Of a large shop only the newest orders are explained: without a reward, nothing says under which version they were decided. */
function hasKnownVersion({ orderId, sentAt }: FinalOrder, { explanations, live, versions }: Facts): boolean {
  return (
    explanations.has(orderId) ||
    live.has(orderId) ||
    inForceBetween(versions, sentAt, Number.POSITIVE_INFINITY).length === 1
  );
}

/** What is read once for a shop. */
interface Facts {
  readAt: ReadAt;
  versions: Map<number, Version>;
  newest: Version;
  explanations: Map<string, ObservedExplanation>;
  /** By order. Those of rules, not those that people gave. */
  live: Map<string, ObservedReward[]>;
  /** What people have taken back: no rule gives it again. */
  revokedByPerson: ObservedReward[];
}

function factsOf(shop: ShopHistory, readAt: ReadAt): Facts {
  const versions = versionsOf(shop);
  const newest = [...versions.values()].at(-1);
  if (!newest) throw new Error(`${shop.shop} has no rule`);
  return {
    readAt,
    versions,
    newest,
    explanations: explanationsOf(shop),
    live: groupBy(liveByRules(shop), ({ order_id: id }) => id),
    revokedByPerson: shop
      .observed<ObservedReward>('rewards')
      .filter(({ corrected }) => corrected === 'revoked'),
  };
}

/** Pending and confirmed rewards are live. */
export const isLive = ({ state }: Pick<ObservedReward, 'state'>): boolean =>
  state === 'pending' || state === 'confirmed';

/** The live rewards that rules gave. */
export function liveByRules(shop: ShopHistory): ObservedReward[] {
  const byHand = rewardsByHand(shop);
  return shop.observed<ObservedReward>('rewards').filter((one) => isLive(one) && !byHand.has(one.id));
}

/** What explain says about each order. Of a large shop only the newest orders are explained. */
export const explanationsOf = (shop: ShopHistory): Map<string, ObservedExplanation> =>
  new Map(shop.observed<ObservedExplanation>('explanations').map((one) => [one.order_id, one]));

/** The orders of one referee. */
interface Referee extends Facts {
  referral: Referral;
  orders: FinalOrder[];
  /** Those that count as paid. */
  paid: FinalOrder[];
}

/** An order with the version that it was evaluated under. */
interface Evaluated {
  order: FinalOrder;
  version: Version;
  live: ObservedReward[];
  /** The first check that it fails, of those that must hold as long as it has rewards. */
  failure: string | undefined;
  /** The roles that earn something with it, unless another order has the reward of the referral. */
  earns: Role[];
  closed: Role[];
}

function expectedOf(referee: Referee): Expected[] {
  const evaluated = referee.orders.map((order) => evaluate(referee, order));
  const first = firstOf(evaluated, referee);
  return evaluated.map((one) => {
    const { order, version } = one;
    const isFirst = version.rule.trigger === 'every_order' || first.holder === one;
    const rewards = {
      referee: isFirst ? expectedReward(referee, one, 'referee') : undefined,
      referrer: isFirst ? expectedReward(referee, one, 'referrer') : undefined,
    };
    return {
      order,
      version,
      rewards,
      referral: referee.referral,
      reasons: reasonsOf(referee, one, rewards, first),
    };
  });
}

function evaluate(referee: Referee, order: FinalOrder): Evaluated {
  const live = (referee.live.get(order.orderId) ?? []).filter(
    ({ referral_id: id }) => id === referee.referral.id,
  );
  const decided = referee.explanations.get(order.orderId)?.stored_decision?.program_version;
  const version = referee.versions.get(live[0]?.program_version ?? decided ?? -1) ?? referee.newest;
  const failure = failureOf(order, version.rule, referee);
  const gives = roles.filter((role) => amountOf(version.rule[role], order) > 0);
  const closed = gives.filter((role) => isClosed(role, order, version, referee));
  const earns = failure === undefined ? gives.filter((role) => !closed.includes(role)) : [];
  return { order, version, live, failure, earns, closed };
}

/** A role whose reward a person revoked gets no other one for the order, under `first_order` also none for the referral. */
function isClosed(
  role: Role,
  { orderId }: FinalOrder,
  { rule }: Version,
  { revokedByPerson, versions, referral }: Referee,
): boolean {
  return revokedByPerson.some((one) => {
    if (one.role !== role) return false;
    if (one.order_id === orderId) return true;
    const wasOfReferral = versions.get(one.program_version)?.rule.trigger === 'first_order';
    return rule.trigger === 'first_order' && wasOfReferral && one.referral_id === referral.id;
  });
}

/** The first check that fails, in the order of docs/rewards.md. */
function failureOf(order: FinalOrder, rule: Rule, { referral, paid, readAt }: Referee): string | undefined {
  const { linkedAt } = referral;
  const isOld = (one: FinalOrder) => one.orderDate < linkedAt - dayMs;
  if (referral.review === 'rejected') return 'referral_rejected';
  if (referral.source === 'boot' && paid.some(isOld)) return 'not_new';
  if (order.paidAt === null) return 'not_paid';
  if (order.paidAt > readAt.ended + aheadMs) return 'not_paid_yet';
  if (order.isCancelled) return 'cancelled';
  if (order.returnedAt !== null) return 'returned';
  if (order.currency !== null) return 'unsupported_currency';
  if (order.paidNow < rule.minimumPaidAmount || order.paidWithoutShipping < 1) return 'below_minimum';
  if (rule.earlierOrders === 'ignore' && isOld(order)) return 'before_link';
  if (rule.windowDays !== null && order.orderDate - linkedAt > rule.windowDays * dayMs)
    return 'outside_window';
  const isEarlier = (one: FinalOrder) => one.orderDate < order.orderDate;
  if (rule.trigger === 'first_order' && !order.isMarkedFirst && paid.some(isEarlier))
    return 'not_first_order';
  return undefined;
}

/** Whether an order counts as a paid order of its member. Its currency and its amount make no difference. */
function countsAsPaid(order: FinalOrder, { ended }: ReadAt): boolean {
  const { paidAt, isCancelled, returnedAt } = order;
  return paidAt !== null && paidAt <= ended + aheadMs && !isCancelled && returnedAt === null;
}

/** Whether the time from which a payment counts was about when the state was read back: then nobody can say what counts. */
function isAtItsTime({ paidAt }: FinalOrder, { settled, ended }: ReadAt): boolean {
  return paidAt !== null && paidAt > settled + aheadMs - sweepMs && paidAt <= ended + aheadMs;
}

/** The orders that count as the first. */
interface First {
  /** The one that has the reward of the referral, or has to have it. */
  holder: Evaluated | undefined;
  /** Those that would earn it, were it not for another one. */
  contenders: Evaluated[];
}

/**
 * Of the orders that count as the first and earn something the one with the earliest date has the reward, then the one with the smaller
 * id. A limit can have kept it from any of them; then it is the one that has it.
 */
function firstOf(evaluated: Evaluated[], facts: Referee): First {
  const contenders = evaluated
    .filter(({ version, earns }) => version.rule.trigger === 'first_order' && earns.length > 0)
    .toSorted(
      ({ order: one }, { order: other }) =>
        one.orderDate - other.orderDate ||
        Buffer.compare(Buffer.from(one.orderId), Buffer.from(other.orderId)),
    );
  const certain = contenders.findIndex((one) => one.earns.some((role) => !canBeLimited(facts, one, role)));
  const possible = certain < 0 ? contenders : contenders.slice(0, certain + 1);
  const holder = possible.find(({ live }) => live.length > 0) ?? possible[Math.max(0, certain)];
  return { holder, contenders };
}

/** Whether a limit can have kept an order from the reward of a role: of any version since it was sent. */
function canBeLimited({ versions }: Facts, { order, version }: Evaluated, role: Role): boolean {
  const since = inForceBetween(versions, order.firstSentAt, Number.POSITIVE_INFINITY);
  return [version, ...since].some((one) => isLimited(one, role));
}

function expectedReward(facts: Referee, one: Evaluated, role: Role): ExpectedReward | undefined {
  const { order, version, live, earns, failure } = one;
  const { rule } = version;
  const benefit = rule[role];
  const own = live.find((reward) => reward.role === role);
  // What a person adjusted stays as long as the order passes, also when the rule gives nothing any more.
  const staysAdjusted = failure === undefined && own?.corrected === 'adjusted';
  if (!benefit || (!earns.includes(role) && !staysAdjusted)) return undefined;
  const amount = amountOf(benefit, order);
  const { referral, readAt } = facts;
  const holdEnd = holdEndOf(order, rule);
  return {
    amount,
    holdEnd,
    type: benefit.type,
    unit: benefit.unit,
    mayBeMissing: canBeLimited(facts, one, role),
    memberId: role === 'referee' ? referral.referee : referral.referrer,
    amounts:
      own?.corrected === 'adjusted' ? new Set([own.amount]) : amountsOf(facts, one, benefit, own, amount),
    states: statesOf(order, rule, referral, readAt),
  };
}

/**
 * A pending amount follows the order, and so does a confirmed percentage of points if the rule says so, unless the budget keeps it.
 * Others are those of a state that the order had.
 */
function amountsOf(
  facts: Facts,
  { order, version }: Evaluated,
  benefit: Benefit,
  own: ObservedReward | undefined,
  amount: number,
): Set<number> {
  const follows =
    own?.state !== 'confirmed' || (version.rule.refunds === 'adjust' && benefit.type === 'points');
  const earlier = order.earlier.map((state) => amountOf(benefit, state)).filter((one) => one > 0);
  const since = inForceBetween(facts.versions, order.firstSentAt, Number.POSITIVE_INFINITY);
  const hasBudget = since.some(({ rule }) => rule.budget !== null);
  if (follows) return new Set([amount, ...(hasBudget ? earlier.filter((one) => one < amount) : [])]);
  return new Set([amount, ...earlier]);
}

/** A hold is counted from the payment, or from the order if that is later. */
function holdEndOf({ paidAt, orderDate }: Pick<FinalOrder, 'paidAt' | 'orderDate'>, { holdDays }: Rule) {
  return holdDays === 0 || paidAt === null ? undefined : Math.max(paidAt, orderDate) + holdDays * dayMs;
}

/** After its confirmation a reward stays confirmed, also when the end of its hold moves. */
function statesOf(
  order: FinalOrder,
  rule: Rule,
  { review }: Referral,
  { settled, ended }: ReadAt,
): Set<string> {
  if (review === 'pending') return new Set(['pending']);
  const ends = order.earlier.map(
    ({ sent }) =>
      holdEndOf(
        {
          paidAt: sent.paid_at === null ? null : Date.parse(sent.paid_at),
          orderDate: Date.parse(sent.order_date),
        },
        rule,
      ) ?? 0,
  );
  const end = holdEndOf(order, rule) ?? 0;
  const states = new Set<string>();
  if (end > settled - sweepMs) states.add('pending');
  if (Math.min(end, ...ends) <= ended + clockTolerance) states.add('confirmed');
  return states;
}

function reasonsOf(
  facts: Referee,
  one: Evaluated,
  rewards: Expected['rewards'],
  { holder, contenders }: First,
): Set<string> {
  const { failure, earns, closed, version, live } = one;
  if (failure !== undefined) return new Set([failure]);
  const isOfReferral = version.rule.trigger === 'first_order';
  const canHave = roles.filter((role) => rewards[role] !== undefined);
  if (isOfReferral && holder && holder !== one) {
    // One that did not fit is not evaluated again when another one gets the reward.
    const isLimitedOne = contenders.includes(one) && earns.some((role) => canBeLimited(facts, one, role));
    return new Set(['already_rewarded', ...(isLimitedOne ? limitReasons : [])]);
  }
  if (canHave.length === 0 && closed.length > 0) return new Set(['revoked_by_person']);
  if (canHave.length === 0) return new Set(['nothing_to_give']);
  const reasons = new Set<string>();
  const states = new Set(canHave.flatMap((role) => [...(rewards[role]?.states ?? [])]));
  const isMissing = canHave.every((role) => rewards[role]?.mayBeMissing) && live.length === 0;
  if (isMissing) for (const reason of limitReasons) reasons.add(reason);
  if (isMissing && closed.length > 0) reasons.add('revoked_by_person');
  if (states.has('confirmed')) reasons.add('rewarded');
  if (states.has('pending')) reasons.add(facts.referral.review === 'pending' ? 'under_review' : 'hold');
  return reasons;
}

const limitReasons = ['referrer_cap_reached', 'budget_exhausted'];

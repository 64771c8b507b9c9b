import type { ProductFilter, Program } from './program.ts';
import type { LimitUsage } from './program-usage.ts';
import type { ReferralState, Role } from './referral.ts';

/** An order in its newest stored state. Date-times are ISO 8601 in UTC with microseconds; amounts are won. */
export interface OrderState {
  orderId: string;
  version: number;
  memberId: string;
  orderAmount: number;
  paidAmount: number;
  shippingAmount: number;
  orderDate: string;
  firstOrder: boolean;
  paidAt: string | null;
  /** When it begins to count as paid; null unless `paidAt` is in the future by more than 5 minutes. */
  countsAsPaidAt: string | null;
  cancelledAt: string | null;
  returnedAt: string | null;
  /** ISO 4217; null for won. */
  currency: string | null;
  /** The number of products, the number of cancelled ones, and what was paid for the others. */
  items: { count: number; cancelled: number; paidForRest: number };
  /** Folded. */
  labels: readonly string[];
  /** Null when they were not read, because no rule needs them. `all_eligible`: of an order as it would have to be. */
  products: ProductSums | 'all_eligible' | null;
  /** Month of the payment in the merchant's time zone, `2026-11`; null while unpaid. */
  month: string | null;
}

/** A product of an order, as far as rules read it. */
export interface OrderProduct {
  productId: string;
  /** Empty for none. */
  sku: string;
  /** What was paid for all of its pieces, in won. */
  paidAmount: number;
  isCancelled: boolean;
  /** Folded. */
  labels: readonly string[];
}

/** What of the products of an order decides. Sums are integers of any size: they can exceed those that a number has exactly. */
export interface ProductSums {
  /** What was paid for the products that are not cancelled, in won. */
  paid: bigint;
  /** Those that are eligible and not cancelled, by filter: each filter of the rules that can decide about the order is there. */
  eligible: ReadonlyMap<ProductFilter, { count: number; paid: bigint }>;
}

/** State of a reward: `pending` becomes `confirmed` or `cancelled`, `confirmed` becomes `revoked`. */
export type RewardState = 'pending' | 'confirmed' | 'revoked' | 'cancelled';

/** A stored reward, given for this order or for this referral. */
export interface EarlierReward {
  id: string;
  role: Role;
  /** What the reward is given for, once per role: `referral:<id>` or `order:<id>`; `manual:<id>` when a person gave it. */
  subject: string;
  orderId: string;
  memberId: string;
  referral: ReferralState;
  type: 'points' | 'coupon';
  amount: number;
  unit: string;
  month: string;
  /** The version of the program under which it was given, and its rule; null when a person gave it. */
  program: Program;
  rule: string | null;
  state: RewardState;
  /** Days from the payment, or from the order if that is later, to the confirmation; 0 for no hold. */
  holdDays: number;
  /** The stored end of its hold. */
  confirmDueAt: string | null;
  /** When the merchant lets it expire, once it is confirmed; null for never. */
  expiresAt: string | null;
  /** Whether a sweeper has enqueued its order because its hold has ended. */
  holdEnqueued: boolean;
  /**
   * The ids of endpoints that were notified of it and not of its revocation, or would not be if it were revoked now: another
   * reward in its place would be granted there a second time.
   */
  notifiedEndpoints: readonly string[];
  /** The member id in its `reward.issue`, when it has become an alias of `memberId` since; else null. */
  issuedMemberId: string | null;
  /** What a person did to it: `adjusted` keeps its amount, `revoked` closes its order and subject for its role. */
  correction: RewardCorrection | null;
}

/** What a person did to a reward. */
export type RewardCorrection = 'adjusted' | 'revoked';

/**
 * Of another order that has the reward of the referral: `earlier` than this order, and it still counts as the first; `later` than this
 * order; or `leaving`, since it no longer counts as the first.
 */
export type HolderState = 'earlier' | 'later' | 'leaving';

/** Everything that an evaluation reads. */
export interface EvaluationInput {
  /** The database's clock, read after the locks: ISO 8601 in UTC with microseconds. It decides which holds have ended. */
  now: string;
  order: OrderState;
  /** The referral whose referee is the order's member; null when there is none. */
  referral: ReferralState | null;
  /** The program in force. */
  program: Program;
  /** Id of another order of the member that has an earlier date and counts as paid (`countsAsPaid`). */
  earlierPaidOrder: string | null;
  /**
   * Id of an older order of the member that lacks only the reward of the referral (`openContenders`). It takes it from this order;
   * null when there is none, and when this order has no such reward.
   */
  earlierFirstOrder: string | null;
  /** Of another order that has the reward of the referral, if there is one (`firstOrderHolder`). */
  holder: HolderState;
  /** Stored rewards for this order or for this referral, live or not. */
  rewards: EarlierReward[];
  usage: LimitUsage;
}

/** Whether a reward is the one of its referral, under the first-order rule, and not the one of an order. */
export function isOfReferral({ subject, referral }: EarlierReward): boolean {
  return subject === `referral:${referral.id}`;
}

/** Whether an order has a live reward of its referral, which the first order of a referee has. */
export function holdsReferral(
  { orderId }: Pick<OrderState, 'orderId'>,
  rewards: readonly EarlierReward[],
): boolean {
  return rewards.some((reward) => reward.orderId === orderId && isLive(reward) && isOfReferral(reward));
}

const manualPrefix = 'manual:';

/** What a reward that a person gives is given for. `key` is unique among those of the merchant. */
export function manualSubject(key: string): string {
  return manualPrefix + key;
}

/** Whether a person gave a reward: no rule sees, changes or withdraws it. */
export function isManual({ subject }: Pick<EarlierReward, 'subject'>): boolean {
  return subject.startsWith(manualPrefix);
}

/**
 * Whether a reward is one that stands although its referral ended when members were merged. It is withdrawn with its order, and
 * otherwise only by a person.
 */
export function standsAfterMerge(reward: Pick<EarlierReward, 'state' | 'subject' | 'referral'>): boolean {
  return isLive(reward) && reward.referral.ended !== null && !isManual(reward);
}

/** Whether a reward is live: pending or confirmed. Caps and the budget count live rewards. */
export function isLive(reward: Pick<EarlierReward, 'state'>): boolean {
  return reward.state === 'pending' || reward.state === 'confirmed';
}

/**
 * What the member has paid for the products that are not cancelled, shipping included, in won. Merchants report a
 * cancelled product by its `cancelled_at` and may or may not lower the order's `paid_amount` as well. The smaller of
 * the two readings counts, so that nothing is subtracted twice (docs/decisions/003).
 */
export function paidNow({
  paidAmount,
  shippingAmount,
  items,
}: Pick<OrderState, 'paidAmount' | 'shippingAmount' | 'items'>): number {
  return items.cancelled === 0 ? paidAmount : Math.min(paidAmount, items.paidForRest + shippingAmount);
}

/**
 * The time of an order's cancellation, or `every product` when all its products are cancelled one by one; null when
 * the order is not cancelled.
 */
export function cancellationOf({
  cancelledAt,
  items,
}: Pick<OrderState, 'cancelledAt' | 'items'>): string | null {
  return cancelledAt ?? (items.count > 0 && items.cancelled === items.count ? 'every product' : null);
}

/** Whether an order counts as a paid order of its member: paid by now, not cancelled, not returned. */
export function countsAsPaid(order: OrderState): boolean {
  const { paidAt, countsAsPaidAt, returnedAt } = order;
  return paidAt !== null && countsAsPaidAt === null && cancellationOf(order) === null && returnedAt === null;
}

const erasedPrefix = 'erased-';

/** The id that replaces the id of an erased member. `random` makes it unique. */
export function newErasedMemberId(random: string): string {
  return erasedPrefix + random;
}

/** Whether a member was erased. Erased members get no rewards: the merchant could not identify them. */
export function isErasedMember(memberId: string): boolean {
  return memberId.startsWith(erasedPrefix);
}

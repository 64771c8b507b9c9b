import type { ProgramRule } from './program.ts';

/** An order as stored. Date-times are ISO 8601 in UTC with microseconds; amounts are won. */
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
  cancelledAt: string | null;
  returnedAt: string | null;
  /** How many products it has, how many of them are cancelled, and then what was paid for those that are not. */
  items: { count: number; cancelled: number; paidForRest: number };
  /** Month of the payment in the merchant's zone, `2026-11`; null while unpaid. */
  month: string | null;
}

/** Whether somebody has to accept a link: while it is `pending` its rewards stay pending, a `rejected` one earns nothing. */
export type ReviewState = 'none' | 'pending' | 'accepted' | 'rejected';

/** The link "referrer brought referee". */
export interface ReferralState {
  id: string;
  code: string;
  referrerMemberId: string;
  refereeMemberId: string;
  linkedAt: string;
  review: ReviewState;
}

export type Role = 'referee' | 'referrer';

/** A reward that was given earlier, for this order or for this referral. */
export interface EarlierReward {
  id: string;
  role: Role;
  subject: string;
  orderId: string;
  memberId: string;
  referral: ReferralState;
  type: 'points' | 'coupon';
  amount: number;
  unit: string;
  month: string;
  program: { id: string; version: number; rule: ProgramRule };
  state: 'pending' | 'confirmed' | 'revoked' | 'cancelled';
  /** Whether the hold of a pending one is over. */
  holdOver: boolean;
  /** Of a revoked one: whether deliveries of its `reward.issue` and of its `reward.revoke` were made. */
  issueNotified: boolean;
  revokeNotified: boolean;
}

/** A reward counts while it is pending or confirmed. */
export function isLive(reward: EarlierReward): boolean {
  return reward.state === 'pending' || reward.state === 'confirmed';
}

/**
 * What the member has paid for what is still ordered, in won. Merchants tell of a cancelled product by its
 * `cancelled_at`, and may or may not lower the order's `paid_amount` too: the smaller of both readings counts, so
 * that nothing is subtracted twice.
 */
export function paidNow({
  paidAmount,
  shippingAmount,
  items,
}: Pick<OrderState, 'paidAmount' | 'shippingAmount' | 'items'>): number {
  return items.cancelled === 0 ? paidAmount : Math.min(paidAmount, items.paidForRest + shippingAmount);
}

/** When an order counts as cancelled: as a whole, or with the last of its products. */
export function cancellationOf({
  cancelledAt,
  items,
}: Pick<OrderState, 'cancelledAt' | 'items'>): string | null {
  return cancelledAt ?? (items.count > 0 && items.cancelled === items.count ? 'every product' : null);
}

/** Whether an order counts as a paid one of its member: paid, and neither cancelled nor returned. */
export function countsAsPaid(order: OrderState): boolean {
  return order.paidAt !== null && cancellationOf(order) === null && order.returnedAt === null;
}

/** An order as stored. Date-times are ISO 8601 in UTC with microseconds; amounts are won. */
export interface OrderFacts {
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
}

/** The link "referrer brought referee". */
export interface ReferralFacts {
  id: string;
  code: string;
  referrerMemberId: string;
  refereeMemberId: string;
  linkedAt: string;
}

export type Role = 'referee' | 'referrer';

/** A reward that was given earlier, for this order or for this referral. */
export interface EarlierReward {
  id: string;
  role: Role;
  subject: string;
  orderId: string;
  memberId: string;
  referral: ReferralFacts;
  type: 'points' | 'coupon';
  amount: number;
  unit: string;
  programId: string;
  programVersion: number;
  state: 'pending' | 'confirmed' | 'revoked' | 'canceled';
  /** Whether deliveries of its `reward.issue` and of its `reward.revoke` were made. */
  issueTold: boolean;
  revokeTold: boolean;
}

/** A reward counts while it is pending or confirmed. */
export function isLive(reward: EarlierReward): boolean {
  return reward.state === 'pending' || reward.state === 'confirmed';
}

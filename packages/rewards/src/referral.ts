import { daysAfter, isBefore } from './timestamps.ts';

/**
 * State of a referral's review: `none` needs no review. While it is `pending`, rewards of the referral stay pending.
 * A `rejected` referral earns no reward.
 */
export type ReviewState = 'none' | 'pending' | 'accepted' | 'rejected';

/** How a referee came to a referrer: by a boot with a code, or by a link of the merchant's server. */
export interface LinkState {
  source: 'boot' | 'link';
  code: string;
  referrerMemberId: string;
  /** ISO 8601 in UTC with microseconds. */
  linkedAt: string;
  review: ReviewState;
}

/** A referral: the referrer referred the referee to the merchant. */
export interface ReferralState extends LinkState {
  id: string;
  refereeMemberId: string;
  /** The number of the move by a person that made the link; 0 for a link that nobody moved. */
  moves: number;
  /** The order that a person said came from the referrer: only orders from its date on count, which is `linkedAt`. */
  fromOrderId: string | null;
  /**
   * The id of a paid order of the referee from before a boot: they were no new member. Null for a new one, after a server link, and
   * when a person said which order came from the referrer.
   */
  olderOrder: string | null;
  /** Why it ended when members were merged; null while it is live. */
  ended: ReferralEnd | null;
  /** The ids of referrals of the same referee that ended: what was given for them is not given again. */
  mergedIds: string[];
}

/**
 * Why a referral ended when members were merged: the merged member had another one, which was linked earlier (`merged`), or its
 * referrer would have been referred by its referee (`cycle`).
 */
export type ReferralEnd = 'merged' | 'cycle';

/** A stored referral: the link in force, and another one that waits. */
export type StoredReferral = Omit<ReferralState, 'olderOrder'> & {
  /** Whether the link in force was found to be of a member who was not new. */
  hadOrderBefore: boolean;
  other: LinkState | null;
};

/** An order is from before a link if it is older by more than this: some shops send dates without times, and some link at the order. */
const toleranceDays = 1;

/** Whether an order of this date was placed before the member was linked, by the link's own time. */
function isBeforeLink(orderDate: string, linkedAt: string): boolean {
  return isBefore(orderDate, daysAfter(linkedAt, -toleranceDays));
}

/** Whether an order was placed before its member was linked. The date of an order that a person named is exact. */
export function isPlacedBefore(
  { orderDate }: { orderDate: string },
  { linkedAt, fromOrderId }: Pick<ReferralState, 'linkedAt' | 'fromOrderId'>,
): boolean {
  return fromOrderId === null ? isBeforeLink(orderDate, linkedAt) : isBefore(orderDate, linkedAt);
}

/**
 * Decides which link of a referee is in force, by dates and not by what came first. A boot counts unless the referee was not new;
 * then a link of the merchant's server counts, which knows what it does. `earliest` is the referee's earliest paid order.
 */
export function linkInForce(
  { other, hadOrderBefore: _stored, ...current }: StoredReferral,
  earliest: { orderId: string; orderDate: string } | undefined,
): ReferralState {
  const olderThan = ({ source, linkedAt }: LinkState) =>
    source === 'boot' &&
    current.fromOrderId === null &&
    earliest &&
    isBeforeLink(earliest.orderDate, linkedAt)
      ? earliest.orderId
      : null;
  const links = [current, ...(other ? [other] : [])];
  const boot = links.find(({ source }) => source === 'boot');
  const server = links.find(({ source }) => source === 'link');
  const link = boot && server ? (olderThan(boot) === null ? boot : server) : current;
  return { ...current, ...link, olderOrder: olderThan(link) };
}

/** The side of a referral that receives a reward. */
export type Role = 'referee' | 'referrer';

/** Whether rewards of the referral stay pending until the referral is accepted. */
export function isUnderReview(referral: ReferralState | null): boolean {
  return referral?.review === 'pending';
}

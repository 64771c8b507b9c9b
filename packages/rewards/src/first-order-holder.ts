import { countsAsPaid, isLive } from './evaluation-input.ts';
import type { EvaluationInput, HolderState } from './evaluation-input.ts';
import { compareAge } from './order-age.ts';

type Evaluated = Pick<EvaluationInput, 'order' | 'referral' | 'earlierPaidOrder' | 'rewards'>;

/**
 * Where the order is that has the reward of this order's referral, if another one has it. `due` are the orders of the run, by id. One that is
 * not among them is the member's earliest paid order (`findRelatedOrders`).
 */
export function firstOrderHolder(
  { order, referral, rewards }: Evaluated,
  due: ReadonlyMap<string, Evaluated>,
): HolderState {
  const reward =
    referral &&
    rewards.find(
      (one) => isLive(one) && one.subject === `referral:${referral.id}` && one.orderId !== order.orderId,
    );
  const holder = reward && due.get(reward.orderId);
  if (!holder) return 'earlier';
  const { order: other, earlierPaidOrder } = holder;
  const countsAsFirst =
    other.memberId === order.memberId &&
    countsAsPaid(other) &&
    (other.firstOrder || earlierPaidOrder === null);
  if (!countsAsFirst) return 'leaving';
  return compareAge(order, other) < 0 ? 'later' : 'earlier';
}

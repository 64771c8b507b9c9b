import { groupBy } from '../ledger/group-by.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import type { ObservedOrder } from '../shop/observe-shop.ts';
import { replayLinks } from './links.ts';

/** The calls that the rewards of this model follow from. */
const modelled = new Set(['sync', 'link']);

/** A live reward: who has it, for which order, and how much. */
export type DueReward = `${'referee' | 'referrer'} ${string} has ${string} for ${string}`;

/**
 * The live rewards of a shop under the rule that a new shop has, after docs/rewards.md: 3,000 points for the referee and for the referrer, for the
 * referee's first order that is paid and neither cancelled nor returned. Undefined when the shop did what this model does not know: published
 * a rule, merged or moved, gave rewards by hand.
 */
export function dueUnderDefaultRule(shop: ShopHistory): Set<DueReward> | undefined {
  const isModelled =
    shop.rules.length === 1 && shop.acts.length === 0 && shop.calls.every(({ call }) => modelled.has(call));
  const links = isModelled ? replayLinks(shop) : undefined;
  if (!links || links.uncertain.size > 0) return undefined;
  const byMember = groupBy(shop.observed<ObservedOrder>('orders'), ({ member_id: id }) => id);
  return new Set(
    [...links.referrers].flatMap(([referee, referrer]): DueReward[] => {
      const [first] = (byMember.get(referee) ?? []).filter(counts).toSorted(byAge);
      if (!first) return [];
      return [
        `referee ${referee} has 3000 points for ${first.order_id}`,
        `referrer ${referrer} has 3000 points for ${first.order_id}`,
      ];
    }),
  );
}

/** Whether an order is paid in won, with something besides shipping, and nothing took it back. */
function counts(order: ObservedOrder): boolean {
  return (
    order.paid_at !== null &&
    order.cancelled_at === null &&
    order.returned_at === null &&
    !order.every_product_cancelled &&
    (order.currency ?? 'KRW') === 'KRW' &&
    order.paid_now > order.shipping_amount
  );
}

/** The earlier date first, then the smaller id in bytes. */
function byAge(one: ObservedOrder, other: ObservedOrder): number {
  const between = Date.parse(one.order_date) - Date.parse(other.order_date);
  return between === 0 ? Buffer.compare(Buffer.from(one.order_id), Buffer.from(other.order_id)) : between;
}

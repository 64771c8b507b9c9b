import { groupBy } from '../ledger/group-by.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import { dueUnderDefaultRule } from '../model/default-rule.ts';
import type { ObservedEvent, ObservedReward } from '../shop/observe-shop.ts';
import { forEachShop } from './check.ts';
import type { Check } from './check.ts';

const isLive = ({ state }: ObservedReward) => state === 'pending' || state === 'confirmed';

/** Members have the rewards that are due to them, and no others. */
export const rewardsDue: Check = {
  name: 'rewards-due',
  promise: 'The live rewards are those that follow from the newest states of the orders, each once',
  check: (history) =>
    forEachShop(history, (shop) => {
      const due = dueUnderDefaultRule(shop);
      if (!due) return { count: 0, violations: [] };
      const live = shop.observed<ObservedReward>('rewards').filter(isLive).map(describe);
      const given = new Set<string>(live);
      const violations = [
        ...[...due].filter((one) => !given.has(one)).map((one) => `${one}: due, and not given`),
        ...[...given].filter((one) => !due.has(one as never)).map((one) => `${one}: given, and not due`),
        ...live.filter((one, index) => live.indexOf(one) !== index).map((one) => `${one}: given twice`),
      ];
      return { count: due.size, violations: violations.map((text) => ({ text })) };
    }),
};

const describe = ({ role, member_id: id, amount, unit, order_id: order }: ObservedReward) =>
  `${role} ${id} has ${amount} ${unit} for ${order}`;

/** What happened to a reward is told once, and in its order. */
export const eventsOnce: Check = {
  name: 'events-once',
  promise:
    'A confirmed reward is issued once, and a revoked one issued once and then revoked once; others have no event',
  check: (history) => forEachShop(history, checkEvents),
};

/** The events of a reward, by its state. */
const eventsOf: Record<ObservedReward['state'], string> = {
  pending: '',
  confirmed: 'reward.issue',
  revoked: 'reward.issue, reward.revoke',
  cancelled: '',
};

function checkEvents(shop: ShopHistory) {
  const events = groupBy(shop.observed<ObservedEvent>('events'), ({ data }) => data.reward.id);
  const rewards = shop.observed<ObservedReward>('rewards');
  const violations = rewards.flatMap(({ id, state }) => {
    // The feed has them in the order in which they are told.
    const types = (events.get(id) ?? []).map(({ type }) => type).join(', ');
    return types === eventsOf[state]
      ? []
      : [{ text: `reward ${id} is ${state}, and has the events "${types}"` }];
  });
  return { count: rewards.length, violations };
}

import { readRows } from '../../read-rows.ts';
import type { Merchant } from '../open-merchant.ts';
import { amountsOf, rewardedOrder } from '../load/accepted-data.ts';
import { firstFew, groupBy } from './compare.ts';

interface RewardRow {
  id: string;
  state: string;
  role: 'referee' | 'referrer';
  member_id: string;
  order_id: string;
  amount: number;
  /** Whether a person gave it. */
  by_hand: boolean;
  referee: string;
  events: string[] | null;
}

const eventsOf: Record<string, string> = {
  confirmed: 'reward.issue',
  revoked: 'reward.issue,reward.revoke',
  cancelled: '',
  pending: '',
};

/**
 * Checks that every referee with a qualifying order has one live reward for each role, for the first such order and with
 * the amount of its newest state, also after people moved links and merged members, and that no other member has any; that
 * every correction was made once, and a reward by hand stays; that every reward has the events of its state; and that every order of a
 * linked member was evaluated in its newest version.
 */
export async function checkRewards(
  databaseUrl: string,
  { merchantId, accepted }: Merchant,
): Promise<string[]> {
  const read = <T extends object>(sql: string) => readRows<T>(databaseUrl, sql, [merchantId]);
  const rewards = await read<RewardRow>(
    `SELECT w.id, w.state, w.role, w.member_id, w.order_id, w.amount::float8 AS amount,
       starts_with(w.subject, 'manual:') AS by_hand, r.referee_member_id AS referee,
       (SELECT array_agg(e.type ORDER BY e.type) FROM events e
         WHERE e.merchant_id = w.merchant_id AND e.reward_id = w.id) AS events
     FROM rewards w JOIN referrals r ON r.merchant_id = w.merchant_id AND r.id = w.referral_id
     WHERE w.merchant_id = $1`,
  );
  const isLive = ({ state }: RewardRow) => state === 'confirmed' || state === 'pending';
  const [byHand, byRule] = [rewards.filter((one) => one.by_hand), rewards.filter((one) => !one.by_hand)];
  const live = groupBy(byRule.filter(isLive), ({ referee, role }) => `${role} of ${referee}`);
  const expected = new Map<string, string>();
  for (const [referee, referrer] of accepted.links) {
    const order = rewardedOrder(accepted, referee);
    if (!order) continue;
    const amounts = amountsOf(order);
    if (amounts.referee > 0)
      expected.set(`referee of ${referee}`, `${amounts.referee} to ${referee} for ${order.order_id}`);
    expected.set(`referrer of ${referee}`, `${amounts.referrer} to ${referrer} for ${order.order_id}`);
  }
  const given = [...new Set([...live.keys(), ...expected.keys()])].flatMap((who) => {
    const found = (live.get(who) ?? [])
      .map((one) => `${one.amount} to ${one.member_id} for ${one.order_id}`)
      .join(' and ');
    const due = expected.get(who) ?? '';
    return found === due ? [] : [`the ${who} is due "${due}" and has "${found}"`];
  });
  const granted = byHand.map((one) => `${one.amount} to ${one.member_id} for ${one.order_id}, ${one.state}`);
  const asked = [...accepted.grants.values()].map(
    ({ amount, referrer, orderId }) => `${amount} to ${referrer} for ${orderId}, confirmed`,
  );
  const moves = await read<{ key: string }>('SELECT key FROM referral_moves WHERE merchant_id = $1');
  const moved = Array.from({ length: accepted.moves }, (_, index) => `move-${index + 1}`);
  const aliases = await read<{ alias_id: string; member_id: string }>(
    'SELECT alias_id, member_id FROM member_aliases WHERE merchant_id = $1',
  );
  const merged = [...accepted.merges].map(([from, into]) => `${from} into ${into}`);
  const withoutEvents = rewards
    .filter(({ state, events }) => (events ?? []).join() !== eventsOf[state])
    .map(({ id, state, events }) => `reward ${id} is ${state} and has the events "${(events ?? []).join()}"`);
  const notEvaluated = await read<{ order_id: string }>(
    `SELECT o.order_id FROM orders o
     JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
     WHERE o.merchant_id = $1 AND NOT EXISTS (SELECT 1 FROM decisions d
       WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id AND d.order_version = o.version)`,
  );
  const [sums] = await read<{ spent: string; live: string }>(
    `SELECT p.spent, (SELECT coalesce(sum(amount), 0) FROM rewards w
       WHERE w.merchant_id = p.merchant_id AND w.state IN ('pending', 'confirmed')) AS live
     FROM programs p WHERE p.merchant_id = $1`,
  );
  return [
    ...firstFew(given),
    ...differences('given by hand', granted, asked),
    ...differences(
      'links moved',
      moves.map(({ key }) => key),
      moved,
    ),
    ...differences(
      'members merged',
      aliases.map((one) => `${one.alias_id} into ${one.member_id}`),
      merged,
    ),
    ...firstFew(withoutEvents),
    ...firstFew(
      notEvaluated.map(({ order_id }) => `order ${order_id} was not evaluated in its newest version`),
    ),
    ...(sums?.spent === sums?.live
      ? []
      : [`the program has spent ${sums?.spent}, but its live rewards add up to ${sums?.live}`]),
    ...(asked.length > 0 ? [] : ['no reward was given by hand, so the check of these had no data']),
    ...(accepted.moves > 0 ? [] : ['no link was moved, so the check of these had no data']),
    ...(accepted.merges.size > 0 ? [] : ['no member was merged, so the check of these had no data']),
    ...(expected.size > 0 ? [] : ['no reward was earned, so the checks of rewards had no data']),
  ];
}

/** What was done and what was asked for, each once, if they differ. */
function differences(what: string, done: string[], asked: string[]): string[] {
  const [found, expected] = [done, asked].map((all) => all.toSorted().join('; '));
  return found === expected ? [] : [`${what}: "${found}", asked for: "${expected}"`];
}

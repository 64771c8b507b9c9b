import type { ReceivedWebhook } from '@rewardhook/local-stack';
import { readRows } from '../../read-rows.ts';
import type { Merchant } from '../open-merchant.ts';
import { amountsOf, rewardedOrder } from '../load/accepted-data.ts';
import { firstFew, groupBy } from './compare.ts';

interface DeliveryRow {
  id: string;
  state: string;
  type: string;
  body: string;
}

/** What the receivers got. */
export interface DeliveryCounts {
  /** Deliveries, however often each was received. */
  distinct: number;
}

/**
 * Checks that every event of a reward has one delivery for each webhook, that every delivery is delivered, that its
 * receiver got it at least once, each time with the stored bytes and a valid signature, and that the events add up to the
 * rewards that are due. Notices about a failing endpoint go to other webhooks and are not checked.
 */
export async function checkDeliveries(
  databaseUrl: string,
  merchant: Merchant,
  counts: DeliveryCounts,
): Promise<string[]> {
  const { merchantId, webhooks } = merchant;
  const incomplete = await readRows<{ id: string; made: string }>(
    databaseUrl,
    `SELECT e.id, count(d.id) AS made FROM events e
     LEFT JOIN deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
     WHERE e.merchant_id = $1 AND e.type LIKE 'reward.%' GROUP BY e.id HAVING count(d.id) <> $2`,
    [merchantId, webhooks.length],
  );
  const problems = incomplete.map(({ id, made }) => `event ${id} has ${made} deliveries`);
  for (const { id, receiver } of webhooks) {
    const rows = await readRows<DeliveryRow>(
      databaseUrl,
      `SELECT d.id::text, d.state, e.type, e.body FROM deliveries d
       JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
       WHERE d.merchant_id = $1 AND d.endpoint_id = $2`,
      [merchantId, id],
    );
    const got = groupBy(receiver.received, ({ deliveryId }) => deliveryId ?? 'none');
    counts.distinct += got.size;
    const known = new Set(rows.map((row) => row.id));
    const unknown = [...got.keys()].filter((delivery) => !known.has(delivery));
    problems.push(
      ...firstFew(rows.flatMap((row) => checkDelivery(row, got.get(row.id) ?? []))),
      ...firstFew(unknown.map((delivery) => `delivery ${delivery} was received and is not stored`)),
      ...firstFew(checkBalance(merchant, receiver.received)),
    );
  }
  return problems;
}

function checkDelivery(row: DeliveryRow, received: ReceivedWebhook[]): string[] {
  const about = `delivery ${row.id} (${row.type})`;
  if (row.state !== 'delivered') return [`${about} is ${row.state}`];
  if (received.length === 0) return [`${about} is delivered and was never received`];
  const bytes = Buffer.from(row.body);
  if (received.some(({ rawBody }) => !rawBody.equals(bytes)))
    return [`${about} was received with other bytes`];
  if (received.some(({ verified }) => !verified)) return [`${about} was received with an invalid signature`];
  if (received.some(({ event }) => event !== row.type)) return [`${about} was received as another event`];
  return [];
}

/** A merchant that adds issued and subtracts revoked amounts, and discards repeated ids, ends with what is due. */
function checkBalance({ accepted }: Merchant, received: ReceivedWebhook[]): string[] {
  const balance = new Map<string, number>();
  for (const [webhook] of groupBy(received, ({ deliveryId }) => deliveryId ?? 'none').values()) {
    const { type, data } = JSON.parse(String(webhook?.rawBody)) as {
      type: string;
      data: {
        role: string;
        member_id: string;
        reward: { amount: number };
        referral: { referee_member_id: string };
      };
    };
    const who = `${data.member_id}, ${data.role} of ${data.referral.referee_member_id}`;
    balance.set(who, (balance.get(who) ?? 0) + (type === 'reward.issue' ? 1 : -1) * data.reward.amount);
  }
  const due = new Map<string, number>();
  const add = (who: string, amount: number) => due.set(who, (due.get(who) ?? 0) + amount);
  for (const [referee, referrer] of accepted.links) {
    const order = rewardedOrder(accepted, referee);
    if (!order) continue;
    const amounts = amountsOf(order);
    add(`${referee}, referee of ${referee}`, amounts.referee);
    add(`${referrer}, referrer of ${referee}`, amounts.referrer);
  }
  for (const { referee, referrer, amount } of accepted.grants.values())
    add(`${referrer}, referrer of ${referee}`, amount);
  return [...new Set([...balance.keys(), ...due.keys()])].flatMap((who) => {
    const [issued, owed] = [balance.get(who) ?? 0, due.get(who) ?? 0];
    return issued === owed ? [] : [`${who}: was issued ${issued} points, not ${owed}`];
  });
}

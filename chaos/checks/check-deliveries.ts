import type { ReceivedWebhook } from '@rewardhook/local-stack';
import type { Merchant } from '../environment/open-merchant.ts';
import { readRows } from '../environment/read-rows.ts';
import { firstPaidOrder } from '../load/order-book.ts';
import { fewOf, groupBy } from './compare.ts';

interface DeliveryRow {
  id: string;
  state: string;
  type: string;
  body: string;
}

/** What receivers have got. */
export interface DeliveryCounts {
  received: number;
  distinct: number;
  /** Of the distinct ones. */
  revocations: number;
}

/**
 * Every event of a reward has one delivery for each webhook (notices about a sick endpoint go to others that ask for them), every delivery is done, and the receiver got each at least once:
 * rightly signed, the stored bytes each time. What it was told comes to what is due.
 */
export async function checkDeliveries(
  databaseUrl: string,
  shop: Merchant,
  counts: DeliveryCounts,
): Promise<string[]> {
  const { merchantId, webhooks } = shop;
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
    counts.received += receiver.received.length;
    counts.distinct += got.size;
    counts.revocations += [...got.values()].filter(([first]) => first?.event === 'reward.revoke').length;
    const known = new Set(rows.map((row) => row.id));
    const strange = [...got.keys()].filter((delivery) => !known.has(delivery));
    problems.push(
      ...fewOf(rows.flatMap((row) => judgeDelivery(row, got.get(row.id) ?? []))),
      ...fewOf(strange.map((delivery) => `delivery ${delivery} was received and is not known`)),
      ...fewOf(judgeTold(shop, receiver.received)),
    );
  }
  return problems;
}

function judgeDelivery(row: DeliveryRow, received: ReceivedWebhook[]): string[] {
  const about = `delivery ${row.id} (${row.type})`;
  if (row.state !== 'delivered') return [`${about} is ${row.state}`];
  if (received.length === 0) return [`${about} is delivered and was never received`];
  const bytes = Buffer.from(row.body);
  if (received.some(({ rawBody }) => !rawBody.equals(bytes))) return [`${about} came with other bytes`];
  if (received.some(({ verified }) => !verified)) return [`${about} came with a wrong signature`];
  if (received.some(({ event }) => event !== row.type)) return [`${about} came as another event`];
  return [];
}

/** A merchant who counts grants and revocations, and discards repeated ids, ends with one grant for each that is due. */
function judgeTold({ book }: Merchant, received: ReceivedWebhook[]): string[] {
  const balance = new Map<string, number>();
  for (const [webhook] of groupBy(received, ({ deliveryId }) => deliveryId ?? 'none').values()) {
    const { type, data } = JSON.parse(String(webhook?.rawBody)) as {
      type: string;
      data: { role: string; referral: { referee_member_id: string } };
    };
    const who = `${data.role} of ${data.referral.referee_member_id}`;
    balance.set(who, (balance.get(who) ?? 0) + (type === 'reward.issue' ? 1 : -1));
  }
  return [...book.links.keys()].flatMap((referee) => {
    const due = firstPaidOrder(book.orders.values(), referee) ? 1 : 0;
    return ['referee', 'referrer'].flatMap((role) => {
      const told = balance.get(`${role} of ${referee}`) ?? 0;
      return told === due
        ? []
        : [`a merchant was told of ${told} grants to the ${role} of ${referee}, not ${due}`];
    });
  });
}

import { Client } from 'pg';

/** What happened because of an order: its table, its times, and how a row is tied to the order. */
const aged = [
  ['orders', ['created_at', 'updated_at'], 't.order_id = o.order_id'],
  ['decisions', ['created_at'], 't.order_id = o.order_id'],
  ['rewards', ['created_at', 'confirmed_at', 'ended_at'], 't.order_id = o.order_id'],
  [
    'attempts',
    ['started_at'],
    `t.delivery_id IN (SELECT d.id FROM deliveries d JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
      JOIN rewards w ON w.merchant_id = e.merchant_id AND w.id = e.reward_id
      WHERE d.state = 'delivered' AND w.merchant_id = o.merchant_id AND w.order_id = o.order_id)`,
  ],
  [
    'deliveries',
    ['created_at', 'finished_at'],
    `t.state = 'delivered' AND t.event_id IN (SELECT e.id FROM events e JOIN rewards w ON w.merchant_id = e.merchant_id AND w.id = e.reward_id
      WHERE w.merchant_id = o.merchant_id AND w.order_id = o.order_id)`,
  ],
] as const;

/**
 * Moves what happened because of a merchant's orders back to their order dates, as if they had come in when they were
 * placed: the past of a demo, which cannot be sent. Deliveries that are not delivered stay as they are.
 */
export async function ageOrders(databaseUrl: string, merchantId: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `CREATE TEMP TABLE aged ON COMMIT DROP AS SELECT merchant_id, order_id, created_at - order_date AS by
       FROM orders WHERE merchant_id = $1 AND created_at > order_date`,
      [merchantId],
    );
    for (const [table, times, tie] of aged) {
      const moves = times.map((time) => `${time} = t.${time} - o.by`).join(', ');
      await client.query(
        `UPDATE ${table} t SET ${moves} FROM aged o WHERE t.merchant_id = o.merchant_id AND ${tie}`,
      );
    }
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

import { Client } from 'pg';

/** How far the orders of a merchant have got. */
export interface Progress {
  /** Of the given orders, those of which the given number of versions is stored, by default one. */
  stored: number;
  /** Orders of the merchant that wait for evaluation. */
  due: number;
  /** Deliveries of the merchant that wait to be sent, without those to the given webhook. */
  pending: number;
}

/** Reads from PostgreSQL how far the given orders of a merchant have got: each admin command would be a process of its own. */
export async function readProgress(
  databaseUrl: string,
  merchantId: string,
  {
    orderIds,
    versions = 1,
    exceptWebhook = '',
  }: { orderIds: string[]; versions?: number; exceptWebhook?: string | undefined },
): Promise<Progress> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Progress>(
      `SELECT (
           SELECT count(*)::int FROM orders WHERE merchant_id = $1 AND order_id = ANY($2) AND cardinality(versions) >= $4) AS stored,
         (SELECT coalesce(sum(orders), 0)::int FROM due_batches WHERE merchant_id = $1) AS due,
         (SELECT count(*)::int FROM deliveries WHERE merchant_id = $1 AND state = 'pending' AND endpoint_id <> $3) AS pending`,
      [merchantId, orderIds, exceptWebhook, versions],
    );
    return rows[0] as Progress;
  } finally {
    await client.end().catch(() => undefined);
  }
}

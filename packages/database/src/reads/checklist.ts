import type { Queryable } from '../client/client.ts';

/** The steps of the set-up that a merchant has completed. */
export interface Checklist {
  key_used: boolean;
  first_order: boolean;
  webhook_registered: boolean;
  signature_verified: boolean;
}

/** Finds out which steps of the set-up a merchant has completed. */
export async function findChecklist(database: Queryable, merchantId: string): Promise<Checklist> {
  const [row] = await database.query<Checklist>(
    `SELECT
       EXISTS (SELECT 1 FROM api_keys WHERE merchant_id = $1 AND last_used_at IS NOT NULL) AS key_used,
       EXISTS (SELECT 1 FROM orders WHERE merchant_id = $1) AS first_order,
       EXISTS (SELECT 1 FROM endpoints WHERE merchant_id = $1 AND deleted_at IS NULL) AS webhook_registered,
       EXISTS (
         SELECT 1 FROM merchants WHERE id = $1 AND signature_checked_at IS NOT NULL
       ) AS signature_verified`,
    [merchantId],
  );
  return row as Checklist;
}

/** The most deliveries that are looked at for a first one that arrived. */
const mostFirst = 1_000;

/**
 * Whether a reward of a merchant was delivered: among its oldest deliveries that are kept, or, when those all failed, as the counts of
 * attempts say, which are not of test events and are at most a few thousand rows of a webhook.
 */
export async function hasDeliveredReward(database: Queryable, merchantId: string): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>(
    `SELECT EXISTS (
       SELECT 1 FROM (SELECT * FROM deliveries WHERE merchant_id = $1 ORDER BY created_at LIMIT ${mostFirst}) d
       JOIN events e ON e.merchant_id = $1 AND e.id = d.event_id AND e.created_at = d.event_created_at
       WHERE d.state = 'delivered' AND e.type = 'reward.issue' AND NOT e.sample)
     OR EXISTS (SELECT 1 FROM attempt_counts WHERE merchant_id = $1 AND outcome LIKE '2__') AS found`,
    [merchantId],
  );
  return row?.found ?? false;
}

import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';

/** Seconds between two manual retries that are sent while their endpoint is backing off. */
const secondsBetweenRetries = 1;

/**
 * Makes a delivery due now, under its old id and from the start of the schedule, also one that was delivered or
 * exhausted. It is sent even while the endpoint is backing off or its breaker is open; such retries are one second
 * apart. Returns the time at which it is sent: null when the operator has paused the deliveries of the merchant, because it waits
 * until they are resumed. Undefined when the merchant has no such delivery, when its endpoint is paused, disabled or deleted, and when its
 * event has expired or was changed by an erasure: the body of a delivery id never changes. The event is locked, so that an erasure runs
 * before or after.
 */
export function retryDelivery(
  database: Sql,
  merchantId: string,
  id: string,
): Promise<{ at: Date | null } | undefined> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      const retried = await restart(tx, merchantId, id);
      if (retried) await audit(tx);
      return retried;
    }),
  );
}

/**
 * Retries each of these deliveries as {@link retryDelivery} does, all in one transaction, in the order of their endpoints, as other
 * transactions lock them. The action has one entry in the audit. Returns the ids of those that were not refused.
 */
export function retryDeliveries(database: Sql, merchantId: string, ids: string[]): Promise<string[]> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      const retried: string[] = [];
      for (const { id } of await run(tx, orderForRetrySql, [merchantId, textArray(ids)]))
        if (await restart(tx, merchantId, id)) retried.push(id);
      if (retried.length > 0)
        await audit(tx, { details: { ids: retried, refused: ids.length - retried.length } });
      return retried;
    }),
  );
}

async function restart(
  tx: Queryable,
  merchantId: string,
  id: string,
): Promise<{ at: Date | null } | undefined> {
  const [slot] = await run(tx, reserveRetrySql, [merchantId, id, secondsBetweenRetries]);
  if (!slot) return undefined;
  const [retried] = await run(tx, restartSql, [merchantId, id, slot.at]);
  return retried;
}

/** Lists the deliveries that the merchant has, in the order in which they are retried. */
const orderForRetrySql = statement<{ id: string }, [merchantId: string, deliveryIds: string]>({
  name: 'order deliveries for a retry',
  parameters: ['text', 'uuid[]'],
  columns: { id: 'text' },
  text: `
    SELECT d.id::text FROM unnest($2::uuid[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT id, endpoint_id, created_at FROM deliveries WHERE id = wanted.id AND merchant_id = $1 OFFSET 0) d
    ORDER BY d.endpoint_id, d.created_at, d.id`,
});

/**
 * Reserves the next time for a manual retry at the endpoint; a retry that is still to come keeps its time. Locks the
 * endpoint before its delivery, as a pause does. An endpoint that is not `sendable` only because the operator has paused it can be
 * given one: it is sent when the pause ends.
 */
const reserveRetrySql = statement<
  { at: string },
  [merchantId: string, deliveryId: string, secondsBetweenRetries: number]
>({
  name: 'reserve a manual retry',
  parameters: ['text', 'uuid', 'double precision'],
  columns: { at: 'text' },
  text: `
    UPDATE endpoints p
    SET retry_at = CASE
      WHEN d.state = 'pending' AND d.retry_at > now() THEN p.retry_at
      ELSE greatest(now(), p.retry_at + make_interval(secs => $3)) END
    FROM deliveries d
    WHERE d.merchant_id = $1 AND d.id = $2::uuid AND p.merchant_id = $1 AND p.id = d.endpoint_id
      AND p.deleted_at IS NULL AND NOT p.holds_deliveries AND p.parked_at IS NULL
    RETURNING CASE
      WHEN d.state = 'pending' AND d.retry_at > now() THEN d.retry_at
      ELSE p.retry_at END::text AS at`,
});

/** Makes the delivery due, if its event can still be sent. */
const restartSql = statement<
  { at: Date | null },
  [merchantId: string, deliveryId: string, reservedAt: string]
>({
  name: 'restart a delivery',
  parameters: ['text', 'uuid', 'timestamp with time zone'],
  columns: { at: 'timestamp with time zone' },
  text: `
    WITH sendable AS (
      SELECT e.id FROM deliveries d
      JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id AND e.created_at = d.event_created_at
      WHERE d.merchant_id = $1 AND d.id = $2::uuid
        AND e.erased_at IS NULL AND (e.expires_at IS NULL OR e.expires_at > now())
      FOR SHARE OF e
    )
    UPDATE deliveries d
    SET state = 'pending', schedule_step = 0, next_attempt_at = now(), leased_until = NULL, finished_at = NULL,
      retry_at = $3::timestamptz
    FROM endpoints p, sendable
    WHERE d.merchant_id = $1 AND d.id = $2::uuid AND p.merchant_id = $1 AND p.id = d.endpoint_id
      AND sendable.id = d.event_id
    RETURNING CASE
      WHEN d.state = 'pending' AND p.sendable
      THEN greatest(now(), least(d.retry_at, greatest(d.next_attempt_at, p.send_after, now()))) END AS at`,
});

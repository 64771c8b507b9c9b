import type { Queryable } from '../client/client.ts';
import { boolean, printedJson, rowColumns, text, timestamptz } from '../client/row-columns.ts';
import { run, statement } from '../client/statement.ts';

/** An event to store, with its exact body. */
export interface NewEvent {
  id: string;
  type: string;
  /** Null for an event that is not about a reward. */
  rewardId: string | null;
  /** JSON; signed and sent byte for byte. */
  body: string;
  /** False stores it without deliveries. */
  deliver: boolean;
  /** ISO 8601 in UTC with microseconds. */
  at: string;
  /** The request that caused it, where it is known. */
  request?: { id: string; traceparent?: string | undefined } | undefined;
}

/** Options of some events. */
export interface EventOptions {
  /** An endpoint that gets no delivery of them. */
  exceptEndpointId?: string;
  /** Seconds after which they are no longer sent. */
  expiresInSeconds?: number;
}

/** A row of `events`, without its merchant. */
interface StoredEvent extends Omit<NewEvent, 'request'> {
  requestId: string | null;
  traceparent: string | null;
}

const eventColumns = rowColumns<StoredEvent>({
  id: text,
  type: text,
  rewardId: text,
  body: printedJson,
  deliver: boolean,
  at: timestamptz,
  requestId: text,
  traceparent: text,
});

/**
 * Inserts events in their order, and a delivery of each to every endpoint that registered its type. Deliveries to a
 * paused or disabled endpoint are held. An endpoint that registered both gets the `reward.revoke` of a reward only if it got its `reward.issue`. A
 * reward records the endpoints, or that there was none, because events and deliveries are deleted after some time. Returns the endpoints with deliveries
 * that are due.
 */
const insertEventsSql = statement<
  { endpointId: string },
  [merchantId: string, exceptEndpointId: string | null, expiresInSeconds: number | null, ...events: string[]]
>({
  name: 'insert events',
  parameters: ['text', 'text', 'double precision', ...eventColumns.types],
  columns: { endpointId: 'text' },
  text: `
    WITH new_events AS (
      SELECT * FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::timestamptz[],
        $10::text[], $11::text[]) WITH ORDINALITY
        AS e (id, type, reward_id, body, deliver, at, request_id, traceparent, number)
    ), inserted_events AS (
      INSERT INTO events (merchant_id, id, type, reward_id, body, created_at, expires_at, request_id, traceparent)
      SELECT $1, id, type, reward_id, body, at, at + make_interval(secs => $3::double precision), request_id, traceparent
      FROM new_events ORDER BY number
    ), inserted_deliveries AS (
      INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, created_at, next_attempt_at,
        promised)
      SELECT rules.delivery_id($1, e.id, p.id, ''), $1, e.id, e.at, p.id,
        CASE WHEN p.holds_deliveries THEN 'held' ELSE 'pending' END,
        e.at,
        CASE WHEN NOT p.holds_deliveries THEN clock_timestamp() END,
        e.reward_id IS NOT NULL
      FROM new_events e JOIN endpoints p ON p.merchant_id = $1 AND e.type = ANY(p.event_types)
      LEFT JOIN LATERAL (
        SELECT issued_to FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= e.reward_id AND id <= e.reward_id
        ORDER BY id OFFSET 0) w ON e.type = 'reward.revoke'
      WHERE e.deliver AND p.deleted_at IS NULL AND p.id IS DISTINCT FROM $2::text
        AND (e.type <> 'reward.revoke' OR p.id = ANY(w.issued_to) OR NOT 'reward.issue' = ANY(p.event_types))
      RETURNING event_id, endpoint_id, state
    ), notified AS (
      SELECT e.reward_id,
        coalesce(array_agg(d.endpoint_id) FILTER (WHERE sent AND e.type = 'reward.issue'), '{}') AS issued_to,
        coalesce(array_agg(d.endpoint_id) FILTER (WHERE sent AND e.type = 'reward.revoke'), '{}') AS revoked_to,
        bool_or(NOT sent) AS unsent
      FROM new_events e
      LEFT JOIN inserted_deliveries d ON d.event_id = e.id
      CROSS JOIN LATERAL (SELECT d.event_id IS NOT NULL AS sent) delivery
      WHERE e.reward_id IS NOT NULL AND (sent OR (e.deliver AND e.type = 'reward.issue'))
      GROUP BY e.reward_id
    ), notified_rewards AS (
      UPDATE rewards w
      SET issued_to = w.issued_to || notified.issued_to, revoked_to = w.revoked_to || notified.revoked_to,
        no_webhook_registered = notified.unsent
      FROM notified
      CROSS JOIN LATERAL (
        SELECT ctid FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= notified.reward_id AND id <= notified.reward_id
          AND NOT (notified.unsent AND no_webhook_registered)
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE) found
      WHERE w.ctid = found.ctid
    )
    SELECT DISTINCT endpoint_id AS "endpointId" FROM inserted_deliveries WHERE state = 'pending'`,
});

/** Inserts events with their deliveries. Returns the ids of the endpoints with deliveries that are due. */
export async function insertEvents(
  tx: Queryable,
  merchantId: string,
  events: NewEvent[],
  { exceptEndpointId, expiresInSeconds }: EventOptions = {},
): Promise<string[]> {
  const rows = events.map(({ id, type, rewardId, body, deliver, at, request }) => ({
    id,
    type,
    rewardId,
    body,
    deliver,
    at,
    requestId: request?.id ?? null,
    traceparent: request?.traceparent ?? null,
  }));
  const endpoints = await run(tx, insertEventsSql, [
    merchantId,
    exceptEndpointId ?? null,
    expiresInSeconds ?? null,
    ...eventColumns.arraysOf(rows),
  ]);
  return endpoints.map(({ endpointId }) => endpointId);
}

/** What a replay means: deliveries by endpoint, state and creation. */
export interface ReplayFilter {
  /** Null for all endpoints. */
  endpointId: string | null;
  states: ReplayableState[];
  from: Date;
  /** Exclusive. What is created later than the replay is never meant. */
  until: Date;
  /** Whether each is sent under a new delivery id; otherwise under its old one. */
  newIds: boolean;
}

/** States of deliveries that can be replayed: every one but `pending`, which is being sent already. */
export const replayableStates = ['exhausted', 'delivered', 'cancelled', 'held'] as const;

export type ReplayableState = (typeof replayableStates)[number];

/** Why a delivery that a filter meets is not sent again. */
export type ReplaySkip = 'endpoint_deleted' | 'event_erased' | 'event_expired' | 'still_waiting';

/**
 * Whether a delivery `d` with its event `e` is meant. Pings are no news, and a replay does not meet what it made
 * itself. $2 states, $4 id of the replay, null of none yet.
 */
const isMeant = `d.state = ANY($2) AND d.replay_id IS DISTINCT FROM $4 AND e.type <> 'webhook.ping'`;

/**
 * Why a delivery `d` of the event `e` to the endpoint `p` (all null when it is deleted) is left out; null when nothing
 * speaks against sending it. $3 new ids.
 *
 * - The bytes of a delivery never change: one whose event an erasure has changed may only go out under a new id.
 * - Where a delivery of the same event to the same endpoint waits already, a new one would double it.
 */
const skipReason = `CASE
  WHEN p.id IS NULL THEN 'endpoint_deleted'
  WHEN e.erased_at IS NOT NULL AND NOT $3::boolean THEN 'event_erased'
  WHEN e.expires_at <= now() THEN 'event_expired'
  WHEN $3::boolean AND EXISTS (SELECT 1 FROM deliveries o
    WHERE o.merchant_id = d.merchant_id AND o.event_id = d.event_id AND o.endpoint_id = d.endpoint_id
      AND o.state IN ('pending', 'held')) THEN 'still_waiting'
END`;

/** Where a look at the deliveries of a replay begins. */
export const beginning = { cursorTime: '-infinity', cursorId: '00000000-0000-0000-0000-000000000000' };

/**
 * The next deliveries of the range behind a cursor, whatever they are: `looked`. $1 merchant, $5 from, $6 until,
 * $7 endpoint or null, $8 and $9 the cursor, $10 how many.
 */
export const looked = `looked AS MATERIALIZED (
  SELECT * FROM deliveries
  WHERE merchant_id = $1 AND created_at >= $5::timestamptz AND created_at < $6::timestamptz
    AND ($7::text IS NULL OR endpoint_id = $7) AND (created_at, id) > ($8::timestamptz, $9::uuid)
  ORDER BY created_at, id LIMIT $10)`;

/** Those of `looked` that are meant: `d` with its event `e`, its endpoint `p` and why it is left out, `skip`. */
export const meant = `
  FROM looked d
  CROSS JOIN LATERAL (SELECT * FROM events WHERE merchant_id = $1 AND id = d.event_id OFFSET 0) e
  LEFT JOIN LATERAL (SELECT * FROM endpoints
    WHERE merchant_id = $1 AND id = d.endpoint_id AND deleted_at IS NULL OFFSET 0) p ON true
  CROSS JOIN LATERAL (SELECT ${skipReason} AS skip) reason
  WHERE ${isMeant}`;

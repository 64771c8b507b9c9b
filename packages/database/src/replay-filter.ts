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
export const isMeant = `d.state = ANY($2) AND d.replay_id IS DISTINCT FROM $4 AND e.type <> 'webhook.ping'`;

/**
 * Why a delivery `d` of the event `e` to the endpoint `p` (all null when it is deleted) is left out; null when nothing
 * speaks against sending it. $3 new ids.
 *
 * - The bytes of a delivery never change: one whose event an erasure has changed may only go out under a new id.
 * - Where a delivery of the same event to the same endpoint waits already, a new one would double it.
 */
export const skipReason = `CASE
  WHEN p.id IS NULL THEN 'endpoint_deleted'
  WHEN e.erased_at IS NOT NULL AND NOT $3::boolean THEN 'event_erased'
  WHEN e.expires_at <= now() THEN 'event_expired'
  WHEN $3::boolean AND EXISTS (SELECT 1 FROM deliveries o
    WHERE o.merchant_id = d.merchant_id AND o.event_id = d.event_id AND o.endpoint_id = d.endpoint_id
      AND o.state IN ('pending', 'held')) THEN 'still_waiting'
END`;

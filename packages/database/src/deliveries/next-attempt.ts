/*
 * Conditions and expressions that lists of the console and reports of operation are put together from. The statements of the stages
 * spell them out.
 */

/** Whether requests may be sent to the endpoint `p`: it is not deleted, disabled, parked, or paused by its merchant or the operator. */
export const isSendable =
  'p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL AND p.parked_at IS NULL AND p.operator_paused_at IS NULL';

/** Whether the delivery `d` is due and no worker has claimed it. */
export const isDue = `d.state = 'pending' AND d.next_attempt_at <= now()
  AND (d.leased_until IS NULL OR d.leased_until <= now())`;

/**
 * The earliest time at which the delivery `d` to the endpoint `p` is sent next, never in the past; null when it is
 * final or held.
 */
export const nextAttemptAt = `CASE WHEN d.state = 'pending' AND ${isSendable} THEN greatest(now(), least(d.retry_at,
  greatest(d.next_attempt_at, p.send_after, now()))) END`;

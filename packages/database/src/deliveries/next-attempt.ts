/** Whether requests may be sent to an endpoint `p` at all: it is not deleted, disabled or paused. */
export const isLive = 'p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL';

/** Whether a retry of the delivery `d` that somebody asked for is to be sent now, and nobody sends it yet. */
export const isRetryDue = "d.state = 'pending' AND d.retry_at <= now() AND d.next_attempt_at <= now()";

/**
 * When the delivery `d` to the endpoint `p` is sent next, at the earliest and never in the past; null when it is final
 * or held. Before its first failure a delivery has waited for nothing: a later time in its row is then a lease, and it
 * is being sent.
 */
export const nextAttemptAt = `CASE WHEN d.state = 'pending' AND ${isLive} THEN greatest(now(), least(d.retry_at,
  greatest(CASE WHEN d.schedule_step > 0 THEN d.next_attempt_at END, p.send_after, now()))) END`;

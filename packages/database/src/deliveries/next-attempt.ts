/** Whether requests may be sent to the endpoint `p`: it is not deleted, disabled or paused. */
export const isSendable = 'p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL';

/** Whether a manual retry of the delivery `d` is due and no worker has claimed it. */
export const isManualRetryDue = `d.state = 'pending' AND d.retry_at <= now() AND d.next_attempt_at <= now()`;

/**
 * The earliest time at which the delivery `d` to the endpoint `p` is sent next, never in the past; null when it is
 * final or held. A delivery that has not failed yet has no backoff: a time in the future in its row is then a lease,
 * and the delivery is being sent.
 */
export const nextAttemptAt = `CASE WHEN d.state = 'pending' AND ${isSendable} THEN greatest(now(), least(d.retry_at,
  greatest(CASE WHEN d.schedule_step > 0 THEN d.next_attempt_at END, p.send_after, now()))) END`;

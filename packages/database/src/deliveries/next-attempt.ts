/** Whether requests may be sent to the endpoint `p`: it is not deleted, disabled, paused or parked. */
export const isSendable =
  'p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL AND p.parked_at IS NULL';

/** Whether no worker has the delivery `d`, or its lease has expired. */
const isFree = '(d.leased_until IS NULL OR d.leased_until <= now())';

/** Whether the delivery `d` is due and no worker has claimed it. */
export const isDue = `d.state = 'pending' AND d.next_attempt_at <= now() AND ${isFree}`;

/** Whether a manual retry of the delivery `d` is due and no worker has claimed it. */
export const isManualRetryDue = `d.state = 'pending' AND d.retry_at <= now() AND d.next_attempt_at <= now() AND ${isFree}`;

/** Columns of a delivery that is final or held: it has no next attempt. */
export const noNextAttempt = 'next_attempt_at = NULL, leased_until = NULL';

/** Columns of a delivery that is made due now; a worker that still has it no longer decides its next state. */
export const dueNow = 'next_attempt_at = now(), leased_until = NULL';

/**
 * The earliest time at which the delivery `d` to the endpoint `p` is sent next, never in the past; null when it is
 * final or held.
 */
export const nextAttemptAt = `CASE WHEN d.state = 'pending' AND ${isSendable} THEN greatest(now(), least(d.retry_at,
  greatest(d.next_attempt_at, p.send_after, now()))) END`;

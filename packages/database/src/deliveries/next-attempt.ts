/*
 * Conditions and expressions that lists of the console and reports of operation are put together from. The statements of the stages
 * spell them out.
 */

/** Whether the delivery `d` is due and no worker has claimed it. */
export const isDue = `d.state = 'pending' AND d.next_attempt_at <= now()
  AND (d.leased_until IS NULL OR d.leased_until <= now())`;

/**
 * The earliest time at which the delivery `d` to the endpoint `p` is sent next, never in the past; null when it is
 * final or held.
 */
export const nextAttemptAt = `CASE WHEN d.state = 'pending' AND p.sendable THEN greatest(now(), least(d.retry_at,
  greatest(d.next_attempt_at, p.send_after, now()))) END`;

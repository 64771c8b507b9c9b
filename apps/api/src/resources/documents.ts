import type {
  AttemptDetails,
  DeliveryDetails,
  DeliveryRow,
  MemberRow,
  ReferralRow,
} from '@rewardhook/database';

/** A referral, without the users who reviewed and moved it. */
export function toReferralDocument({ reviewed_by: _reviewedBy, moves, ...referral }: ReferralRow): object {
  return { ...referral, moves: moves.map(({ moved_by: _movedBy, ...move }) => move) };
}

/** A member in a list. */
export function toMemberItem({ code, ...member }: MemberRow): object {
  return { ...member, referral_code: code };
}

/** A delivery; one that was read by its id with its attempts, oldest first. */
export function toDeliveryDocument(delivery: DeliveryRow | DeliveryDetails): object {
  const { endpoint_id: webhookId, endpoint_url: url, last_error_class: lastError, ...rest } = toRow(delivery);
  const document = { ...rest, webhook_id: webhookId, url, last_error: lastError };
  if (!('attempts' in delivery)) return document;
  return { ...document, attempts: delivery.attempts.map(toAttemptDocument) };
}

/** One POST of a delivery. */
export function toAttemptDocument(attempt: AttemptDetails): object {
  return {
    number: attempt.number,
    started_at: attempt.started_at,
    url: attempt.url,
    status: attempt.status,
    error: attempt.error_class,
    error_message: attempt.error_message,
    duration_ms: attempt.timings['totalMs'] ?? null,
    response_body: attempt.response_body,
    warning: attempt.warning,
    retried_on_new_connection: attempt.retried_on_new_connection,
    ignored: attempt.ignored,
  };
}

/** The fields of a delivery that lists have too. */
function toRow(delivery: DeliveryRow | DeliveryDetails): DeliveryRow {
  if (!('attempts' in delivery)) return delivery;
  const {
    attempts: _attempts,
    event: _event,
    endpoint: _endpoint,
    due: _due,
    manual_retry: _retry,
    ...row
  } = delivery;
  return row;
}

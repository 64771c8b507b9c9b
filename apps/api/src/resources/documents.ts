import type { Answer } from '@rewardhook/contract';
import type {
  AttemptDetails,
  DeliveryDetails,
  DeliveryRow,
  MemberRow,
  ReferralRow,
} from '@rewardhook/database';

/** A referral, without the users who reviewed and moved it. */
export function toReferralDocument({
  reviewed_by: _reviewedBy,
  moves,
  ...referral
}: ReferralRow): Answer<'Referral'> {
  return { ...referral, moves: moves.map(({ moved_by: _movedBy, ...move }) => move) };
}

/** A member in a list. */
export function toMemberItem({ code, ...member }: MemberRow): Answer<'MemberListItem'> {
  return { ...member, referral_code: code };
}

/** A delivery of a list. */
export function toDeliveryItem(delivery: DeliveryRow): Answer<'DeliveryListItem'> {
  const { endpoint_id: webhookId, endpoint_url: url, last_error_class: lastError, ...rest } = delivery;
  return { ...rest, webhook_id: webhookId, url, last_error: lastError };
}

/** A delivery that was read by its id, with its attempts, oldest first. */
export function toDeliveryDocument(delivery: DeliveryDetails): Answer<'Delivery'> {
  const { attempts, event: _event, endpoint: _endpoint, due: _due, ...others } = delivery;
  const { progress: _progress, waiting_for: _wait, amount: _amount, unit: _unit, ...row } = others;
  return { ...toDeliveryItem(row), attempts: attempts.map(toAttemptDocument) };
}

/** One POST of a delivery. */
export function toAttemptDocument(attempt: AttemptDetails): Answer<'TestResult'>['attempt'] {
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

import { attemptErrors } from '@rewardhook/contract';
import type { DeliveryProgress } from '../states.ts';
import type { Conditions } from './list-page.ts';

/*
 * How far a delivery is, and what a person asks for: derived when it is read, because most of it is a property of its webhook. All
 * expressions are about the delivery `d` and its webhook `p`.
 */

/** Whether its last attempt failed: no response, or one that is not 2xx. Not one that this service aborted. */
const lastFailed = `d.last_attempt_at IS NOT NULL AND d.last_error_class IS DISTINCT FROM 'aborted'
  AND (d.last_status BETWEEN 200 AND 299) IS NOT TRUE`;

/**
 * What it waits for, of several reasons the first one here; null when it waits for nothing but its own time. A manual retry that is due is sent
 * even while its webhook backs off.
 */
export const waitingFor = `CASE WHEN d.state NOT IN ('pending', 'held') OR p.deleted_at IS NOT NULL THEN NULL
  WHEN p.disabled_at IS NOT NULL THEN 'disabled' WHEN p.paused_at IS NOT NULL THEN 'paused'
  WHEN p.operator_paused_at IS NOT NULL THEN 'operator_paused' WHEN p.parked_at IS NOT NULL THEN 'parked'
  WHEN d.retry_at <= now() THEN NULL
  WHEN p.breaker_opened_at IS NOT NULL OR p.ramp_per_second IS NOT NULL OR p.send_after > now() THEN
    CASE WHEN d.retry_at IS NOT NULL THEN 'requested' WHEN p.breaker_opened_at IS NOT NULL THEN 'breaker'
      WHEN p.ramp_per_second IS NOT NULL THEN 'half_open' WHEN p.first_success_at IS NULL THEN 'new_webhook'
      ELSE 'retry_after' END
  END`;

/** Its state for people: `DeliveryProgress`, the first that holds. */
export const progress = `CASE d.state WHEN 'delivered' THEN 'delivered' WHEN 'exhausted' THEN 'failed' WHEN 'cancelled' THEN 'cancelled'
  ELSE CASE WHEN d.state = 'held' OR p.holds_deliveries THEN 'held' WHEN (${waitingFor}) IS NOT NULL THEN 'waiting'
    WHEN ${lastFailed} THEN 'retrying' ELSE 'sending' END END`;

/** The stored state of a delivery with this progress, where there is one; `isAll`: every delivery in that state has it. */
export function stateOf(asked: DeliveryProgress): { state?: string; isAll: boolean } {
  if (asked === 'held') return { state: 'held', isAll: false };
  if (asked === 'failed') return { state: 'exhausted', isAll: true };
  if (asked === 'delivered' || asked === 'cancelled') return { state: asked, isAll: true };
  return { state: 'pending', isAll: false };
}

/** The classes of the answers to look for. */
export const answerClasses = ['2xx', '3xx', '4xx', '5xx'] as const;

/** The answer to the last attempt: a class, one status, `none` for no response, or why there was none. */
export type DeliveryAnswer =
  (typeof answerClasses)[number] | 'none' | (typeof attemptErrors)[number] | `${number}`;

/** Whether a text is an answer to look for. */
export const isDeliveryAnswer = (text: string): text is DeliveryAnswer =>
  [...answerClasses, 'none', ...attemptErrors].some((known) => known === text) || /^[1-5]\d\d$/.test(text);

/** What deliveries_failed_answer_idx has: a query must repeat it. */
const isFailedAnswer =
  'd.last_attempt_at IS NOT NULL AND (d.last_status IS NULL OR d.last_status NOT BETWEEN 200 AND 299)';

/**
 * Adds the condition of an answer. The class of one that is not 2xx has an index, in the order of the list; one status or error in its
 * class, and 2xx, are examined row by row.
 */
export function addAnswer(conditions: Conditions, answer: DeliveryAnswer): void {
  const status = /^\d{3}$/.test(answer) ? Number(answer) : undefined;
  const answerClass = /^\d/.test(answer) ? Number(answer[0]) : 0;
  const error = answerClass === 0 && answer !== 'none' ? answer : undefined;
  if (answerClass === 2) conditions.addFilter('d.last_status / 100 = ?', answerClass);
  else conditions.add(`coalesce(d.last_status, 0) / 100 = ? AND ${isFailedAnswer}`, answerClass);
  conditions.addFilter('d.last_status = ?', status);
  conditions.addFilter('d.last_error_class = ?', error);
}

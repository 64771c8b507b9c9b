import type { AttemptDetails, DeliveryDetails, DeliveryRow } from '@rewardhook/database';
import type { AttemptView, DeliveryView, NextAttemptReason, TimingsView } from '../api-types.ts';

/** Converts a stored delivery to the view of the console. */
export function toDeliveryView(details: DeliveryDetails): DeliveryView {
  const { attempts, endpoint, due: _due, manual_retry: _manualRetry, ...delivery } = details;
  return {
    ...delivery,
    endpoint: { id: endpoint.id, url: endpoint.url, status: statusOf(endpoint) },
    next_attempt_reason: nextAttemptReason(details),
    attempts: attempts.map(toAttemptView),
  };
}

/** Milliseconds by phase, with the field names of the API. */
function toTimingsView(timings: object): TimingsView {
  const entries = Object.entries(timings as Record<string, number>);
  return Object.fromEntries(
    entries.map(([name, ms]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), ms]),
  ) as unknown as TimingsView;
}

function toAttemptView({ timings, ...attempt }: AttemptDetails): AttemptView {
  return { ...attempt, timings: toTimingsView(timings) };
}

function statusOf(endpoint: DeliveryDetails['endpoint']): DeliveryView['endpoint']['status'] {
  if (endpoint.deleted) return 'deleted';
  if (endpoint.disabled) return 'disabled';
  if (endpoint.paused) return 'paused';
  return endpoint.breaker_open ? 'failing' : 'active';
}

/**
 * The reason for the time of the next attempt; of several, the first one here takes precedence. Null when there is no
 * next attempt.
 */
function nextAttemptReason({
  state,
  endpoint,
  due,
  manual_retry: manualRetry,
}: DeliveryDetails): NextAttemptReason | null {
  const waits: DeliveryRow['state'][] = ['pending', 'held'];
  if (!waits.includes(state) || endpoint.deleted) return null;
  if (endpoint.disabled) return 'disabled';
  if (endpoint.paused) return 'paused';
  if (endpoint.operator_paused) return 'operator_paused';
  if (due) return 'due_now';
  if (manualRetry) return 'requested';
  if (endpoint.breaker_open) return 'breaker';
  if (!endpoint.backing_off) return 'retry';
  if (endpoint.half_open) return 'half_open';
  return endpoint.is_new ? 'new_webhook' : 'retry_after';
}

import type { AttemptDetails, DeliveryDetails } from '@rewardhook/database';
import type { AttemptView, DeliveryView, NextAttemptReason, TimingsView } from '../api-types.ts';

/** Converts a stored delivery to the view of the console. */
export function toDeliveryView(details: DeliveryDetails): DeliveryView {
  const { attempts, endpoint, due: _due, ...delivery } = details;
  return {
    ...delivery,
    endpoint: { id: endpoint.id, url: endpoint.url, name: endpoint.name, status: statusOf(endpoint) },
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

/** The reason for the time of the next attempt. Null when there is no next attempt. */
function nextAttemptReason({
  state,
  endpoint,
  due,
  waiting_for: wait,
}: DeliveryDetails): NextAttemptReason | null {
  if (wait !== null) return wait;
  if (state !== 'pending' || endpoint.deleted) return null;
  return due ? 'due_now' : 'retry';
}

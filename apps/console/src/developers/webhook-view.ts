import type { EndpointRow } from '@rewardhook/database';
import type { WebhookView } from '../api-types.ts';

/** Converts a stored webhook to the view of the console. */
export function toWebhookView(row: EndpointRow, label: string): WebhookView {
  const { attempts, succeeded } = row;
  return {
    id: row.id,
    name: row.name,
    label,
    url: row.url,
    event_types: row.event_types,
    created_at: row.created_at,
    status: statusOf(row),
    disabled_reason: row.disabled_reason,
    disabled_at: row.disabled_at,
    paused_at: row.paused_at,
    breaker:
      row.breaker_opened_at === null
        ? null
        : {
            opened_at: row.breaker_opened_at,
            next_probe_at: row.next_probe_at,
            probes_failed: row.probes_failed,
            failing_since: row.failing_since,
            failures_in_a_row: row.failures_in_a_row,
          },
    half_open: row.half_open,
    retry_hours: row.retry_hours,
    health: {
      attempts,
      succeeded,
      success_rate: attempts === 0 ? null : succeeded / attempts,
      p95_ms: row.p95_ms,
    },
    waiting: row.waiting,
    held: row.held,
  };
}

/** The state of a webhook. Of several reasons, the first one here takes precedence. */
function statusOf(row: EndpointRow): WebhookView['status'] {
  if (row.disabled_at !== null) return 'disabled';
  if (row.paused_at !== null) return 'paused';
  return row.breaker_opened_at === null ? 'active' : 'failing';
}

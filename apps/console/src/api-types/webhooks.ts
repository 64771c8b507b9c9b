import type { CertifyReport } from '@rewardhook/certify';
import type { EventType } from '@rewardhook/contract';
import type { EndpointRow, EndpointState, WebhookHealthRow } from '@rewardhook/database';
import type { DateTime } from './response.ts';
import type { AttemptView } from './deliveries.ts';

export type { CertifyReport, EventType, WebhookHealthRow };

export interface BreakerView {
  opened_at: DateTime;
  next_probe_at: DateTime | null;
  /** Probes that failed since it opened. */
  probes_failed: number;
  failing_since: DateTime | null;
  failures_in_a_row: number;
}

export interface WebhookHealth {
  /** Within the last 24 hours. */
  attempts: number;
  succeeded: number;
  /** 0 … 1; null without attempts. */
  success_rate: number | null;
  /** Duration of an attempt in milliseconds; null without attempts. */
  p95_ms: number | null;
}

export interface WebhookView extends Omit<
  EndpointRow,
  Exclude<keyof BreakerView, 'opened_at'> | 'breaker_opened_at' | keyof WebhookHealth
> {
  status: EndpointState['status'];
  /** What tells it apart from the merchant's other webhooks: its name, or a part of its URL. */
  label: string;
  /** Null while it is closed or half-open. */
  breaker: BreakerView | null;
  health: WebhookHealth;
}

export interface NewWebhookRequest {
  name?: string | null;
  url: string;
  event_types: string[];
}

export interface ChangeWebhookRequest {
  /** Null removes it. */
  name?: string | null;
  url?: string;
  event_types?: string[];
  /** 1 … 720, or null for the usual schedule. */
  retry_hours?: number | null;
  /** The fields as the caller has read them. A field that is equal to its `base` keeps its stored value. */
  base?: Omit<ChangeWebhookRequest, 'base'>;
}

/** A test event, which is sent at once and not retried. */
export interface WebhookTestResponse {
  delivery_id: string;
  attempt: AttemptView;
}

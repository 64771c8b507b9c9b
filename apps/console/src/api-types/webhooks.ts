import type { CertifyReport } from '@rewardhook/certify';
import type { Answer, DisabledReason, EventType } from '@rewardhook/contract';
import type { DateTime, Page } from './response.ts';
import type { AttemptView } from './deliveries.ts';

export type { EventType };

/** `failing`: the circuit breaker is open. `disabled`: by the service; the merchant can enable it. */
export type WebhookStatus = Answer<'Webhook'>['status'];

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

/** GET /webhooks/:id, and an item of GET /webhooks (oldest first). */
export interface WebhookView {
  id: string;
  url: string;
  event_types: string[];
  created_at: DateTime;
  status: WebhookStatus;
  disabled_reason: DisabledReason | null;
  disabled_at: DateTime | null;
  paused_at: DateTime | null;
  /** Null while it is closed or half-open. */
  breaker: BreakerView | null;
  /** After a probe succeeded, until waiting deliveries are sent at the full rate. */
  half_open: boolean;
  /** Hours over which a delivery is retried; null follows the schedule (75 h). */
  retry_hours: number | null;
  health: WebhookHealth;
  /** Deliveries to be sent, and deliveries that are held because the webhook is paused or disabled. */
  waiting: number;
  held: number;
}

export type WebhookPage = Page<WebhookView>;

/** POST /webhooks (developer) → 201 `WebhookView`. Event types as in GET /webhooks/event-types: `EventType[]`. */
export interface NewWebhookRequest {
  url: string;
  event_types: string[];
}

/**
 * PATCH /webhooks/:id (developer) → `WebhookView`. POST /webhooks/:id/pause, /resume, /enable → `WebhookView`;
 * 409 `conflict` if there is nothing to pause, resume or enable.
 */
export interface ChangeWebhookRequest {
  url?: string;
  event_types?: string[];
  /** 1 … 720, or null for the usual schedule. */
  retry_hours?: number | null;
  /** The fields as the caller has read them. A field that is equal to its `base` keeps its stored value. */
  base?: Omit<ChangeWebhookRequest, 'base'>;
}

/**
 * GET /webhooks/:id/earlier-rewards: confirmed rewards of which no webhook was notified, because none had registered for
 * `reward.issue`. POST (developer) sends their `reward.issue` to this webhook: `count` are then those that were sent.
 */
export interface EarlierRewardsView {
  count: number;
  /** False when there are more than are counted or sent at once. */
  complete: boolean;
  /** Rewards that are left out, by reason: event_erased, event_expired. */
  skipped: Partial<Record<'event_erased' | 'event_expired', number>>;
}

/**
 * POST /webhooks/:id/test (developer): sends a test event at once, also to a paused or disabled webhook, and returns the
 * attempt. It is not retried.
 */
export interface WebhookTestRequest {
  /** Default `webhook.ping`. */
  type?: EventType;
}

export interface WebhookTestResponse {
  delivery_id: string;
  attempt: AttemptView;
}

/**
 * POST /webhooks/:id/certify (developer): sends the receiver genuine, forged, repeated and unusual test events, and reports
 * what it did. Takes some seconds, 60 at most. 409 `conflict` while another report of the merchant is being made, and before
 * the URL has answered 2xx to a test event or a delivery.
 */
export type WebhookCertifyResponse = CertifyReport;

import type { DateTime, PageOfMember } from './response.ts';

/** `held`: its webhook is paused or disabled. */
export type DeliveryState = 'pending' | 'held' | 'delivered' | 'exhausted' | 'cancelled';

/**
 * GET /deliveries, newest first. `search` is an id of a delivery or an event, an order id or a member id, exactly.
 * `from` is inclusive, `until` exclusive.
 */
export interface DeliveryQuery {
  state?: DeliveryState;
  endpoint_id?: string;
  event_type?: string;
  from?: DateTime;
  until?: DateTime;
  search?: string;
  after?: string;
  limit?: number;
}

export interface DeliveryItem {
  id: string;
  state: DeliveryState;
  event_id: string;
  event_type: string;
  endpoint_id: string;
  endpoint_url: string;
  /** Of the reward that the event is about; null for other events. */
  order_id: string | null;
  member_id: string | null;
  attempts_made: number;
  /** Of the last attempt; null before the first, `last_status` also if there was no response. */
  last_status: number | null;
  last_error_class: string | null;
  last_attempt_at: DateTime | null;
  created_at: DateTime;
  /** The earliest time at which it is sent next, never in the past; null when it is held or final. */
  next_attempt_at: DateTime | null;
  finished_at: DateTime | null;
  /** The replay that created it; null for the first delivery. */
  replay_id: string | null;
}

export type DeliveryPage = PageOfMember<DeliveryItem>;

/** Milliseconds by phase; the phases of the connection only when it was opened for this attempt. */
export interface TimingsView {
  total_ms: number;
  dns_ms?: number;
  connect_ms?: number;
  tls_ms?: number;
  first_byte_ms?: number;
  body_ms?: number;
}

export interface AttemptView {
  number: number;
  started_at: DateTime;
  url: string;
  /** Null if there was no response. */
  status: number | null;
  /** dns, connect, tls, timeout, reset, http, blocked or aborted; null if there was a response. */
  error_class: string | null;
  error_message: string | null;
  timings: TimingsView;
  response_body: string | null;
  /** What was wrong with the response after its head; null if nothing was. */
  warning: string | null;
  /** Whether a reused connection broke before a response began, and the request was sent once more, on a new one. */
  retried_on_new_connection: boolean;
  /** Whether the receiver said that it does not handle the event type. */
  ignored: boolean;
  /** As sent; null if nothing was sent, and for attempts from before they were stored. */
  request_headers: Record<string, string> | null;
}

/**
 * The reason for the time of the next attempt. `requested`: a manual retry of a webhook that is backing off; these are sent
 * one a second. `half_open`: the circuit breaker is half-open, and what waited is sent at an increasing rate. `new_webhook`: its
 * URL has never answered with 2xx.
 */
export type NextAttemptReason =
  | 'due_now'
  | 'requested'
  | 'retry'
  | 'retry_after'
  | 'breaker'
  | 'half_open'
  | 'new_webhook'
  | 'paused'
  | 'operator_paused'
  | 'disabled';

/**
 * GET /deliveries/:id. POST /deliveries/:id/retry (developer) → `DeliveryView`, of which `next_attempt_at`
 * is the time of the retry; 409 if nothing can be sent to its webhook.
 */
export interface DeliveryView extends DeliveryItem {
  event: {
    id: string;
    type: string;
    created_at: DateTime;
    /** The exact text that is signed and sent. */
    body: string;
  };
  endpoint: { id: string; url: string; status: 'active' | 'paused' | 'failing' | 'disabled' | 'deleted' };
  /** Null if there is no next attempt. */
  next_attempt_reason: NextAttemptReason | null;
  /** Oldest first. */
  attempts: AttemptView[];
}

import type { Answer } from '@rewardhook/contract';
import type { AttemptDetails, DeliveryRow, DeliveryState } from '@rewardhook/database';
import type { DateTime } from './response.ts';

export type { DeliveryState };

/** Which deliveries to list. `from` is inclusive, `until` exclusive. */
export interface DeliveryFilter {
  state?: DeliveryState;
  endpoint_id?: string;
  event_type?: string;
  from?: DateTime;
  until?: DateTime;
  /** An id of a delivery or an event, an order id or a member id, exactly. */
  search?: string;
}

/** Milliseconds by phase; the phases of the connection only when it was opened for this attempt. */
export interface TimingsView {
  total_ms: number;
  dns_ms?: number;
  connect_ms?: number;
  tls_ms?: number;
  first_byte_ms?: number;
  body_ms?: number;
}

/** `request_headers` are null if nothing was sent, and for attempts from before they were stored. */
export type AttemptView = Omit<AttemptDetails, 'timings'> & { timings: TimingsView };

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

/** A delivery with its attempts. After a retry `next_attempt_at` is its time. */
export type DeliveryView = DeliveryRow & {
  event: {
    id: string;
    type: string;
    created_at: DateTime;
    /** The exact text that is signed and sent. */
    body: string;
  };
  endpoint: { id: string; url: string; status: Answer<'Webhook'>['status'] | 'deleted' };
  /** Null if there is no next attempt. */
  next_attempt_reason: NextAttemptReason | null;
  /** Oldest first. */
  attempts: AttemptView[];
};

import type { Answer } from '@rewardhook/contract';
import type {
  AttemptDetails,
  DeliveryAnswer,
  DeliveryListRow,
  DeliveryProgress,
  DeliveryWait,
  PlannedRetry,
} from '@rewardhook/database';
import type { DateTime } from './response.ts';

export type { DeliveryAnswer, DeliveryListRow, DeliveryProgress };

/** Which deliveries to list. `from` is inclusive, `until` exclusive. */
export interface DeliveryFilter {
  progress?: DeliveryProgress;
  /** The answer to the last attempt. */
  answer?: DeliveryAnswer;
  /** The least number of attempts. */
  min_attempts?: number;
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

/** The reason for the time of the next attempt: what the delivery waits for, or nothing but its time. */
export type NextAttemptReason = DeliveryWait | 'due_now' | 'retry';

/** A delivery with its attempts. After a retry `next_attempt_at` is its time. */
export type DeliveryView = Omit<DeliveryListRow, 'webhook_label'> & {
  event: {
    id: string;
    type: string;
    created_at: DateTime;
    /** The exact text that is signed and sent. */
    body: string;
  };
  endpoint: { id: string; url: string; name: string | null; status: Answer<'Webhook'>['status'] | 'deleted' };
  /** Null if there is no next attempt. */
  next_attempt_reason: NextAttemptReason | null;
  /** Oldest first. */
  attempts: AttemptView[];
};

/** At most 100 deliveries to retry. With `dry_run` the answer is only a plan. */
export interface RetryDeliveriesRequest {
  ids: string[];
  dry_run?: boolean;
}

/** What a retry does with each delivery. */
export interface RetryPlan {
  items: PlannedRetry[];
}

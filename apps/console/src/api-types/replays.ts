import type { DeliveryAnswer, ReplayableState } from '@rewardhook/database';
import type { DateTime } from './response.ts';

interface ReplayRange {
  /** Any state except `pending`, whose deliveries are sent anyway. */
  states: ReplayableState[];
  /** Answers to their last attempts; empty or omitted for all. */
  answers?: DeliveryAnswer[];
  /** Creation of the deliveries: from inclusive, until exclusive. */
  from: DateTime;
  until: DateTime;
}

export interface ReplayPreviewRequest extends ReplayRange {
  /** Default false. */
  new_ids?: boolean;
}

/** The number of selected deliveries. */
export interface ReplayPreview {
  count: number;
  /** False when there are too many to count them at once: `count` and `skipped` are then the least there are. */
  complete: boolean;
  /** Deliveries that are left out, by reason: endpoint_deleted, event_erased, event_expired, still_waiting. */
  skipped: Record<string, number>;
}

export interface NewReplayRequest extends ReplayRange {
  /** Whether each gets a new delivery id; a receiver discards known ones. */
  new_ids: boolean;
  /** 1 … 60000. */
  per_minute: number;
}

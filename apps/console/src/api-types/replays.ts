import type { DateTime, Page } from './response.ts';
import type { DeliveryState } from './deliveries.ts';

/** POST /webhooks/:id/replays/preview (developer) → `ReplayPreview`: the number of selected deliveries. */
export interface ReplayRange {
  /** Any state except `pending`, whose deliveries are sent anyway. */
  states: DeliveryState[];
  /** Creation of the deliveries: from inclusive, until exclusive. */
  from: DateTime;
  until: DateTime;
}

export interface ReplayPreviewRequest extends ReplayRange {
  /** Default false. */
  new_ids?: boolean;
}

export interface ReplayPreview {
  count: number;
  /** False when there are too many to count them at once: `count` and `skipped` are then the least there are. */
  complete: boolean;
  /** Deliveries that are left out, by reason: endpoint_deleted, event_erased, event_expired, still_waiting. */
  skipped: Record<string, number>;
}

/** POST /webhooks/:id/replays (developer) → 201 `ReplayView`. */
export interface NewReplayRequest extends ReplayRange {
  /** Whether each gets a new delivery id; a receiver discards known ones. */
  new_ids: boolean;
  /** 1 … 60000. */
  per_minute: number;
}

/** GET /replays, newest first. `endpoint_id` selects the replays of a webhook and those of all webhooks. */
export interface ReplayQuery {
  endpoint_id?: string;
  after?: string;
  limit?: number;
}

/** GET /replays/:id, an item of GET /replays, and the response to POST /replays/:id/pause, /resume, /cancel. */
export interface ReplayView {
  id: string;
  /** Null for all webhooks. */
  endpoint_id: string | null;
  states: string[];
  from: DateTime;
  until: DateTime;
  new_ids: boolean;
  per_minute: number;
  state: 'running' | 'paused' | 'cancelled' | 'done';
  total: number;
  /** False when there were too many to count them at once: `total` is then the least there are, until it is done. */
  total_complete: boolean;
  done: number;
  created_at: DateTime;
  finished_at: DateTime | null;
}

export type ReplayPage = Page<ReplayView>;

import type { DeliveryAnswer } from '../reads/delivery-progress.ts';
import type { DeliveryState } from '../states.ts';

/** Which deliveries a replay sends again. */
export interface ReplayFilter {
  /** Null for all endpoints. */
  endpointId: string | null;
  states: ReplayableState[];
  /** Answers to their last attempts; empty for all. */
  answers: DeliveryAnswer[];
  /** Range of the deliveries' creation: from inclusive, until exclusive. */
  from: string;
  until: string;
  /** Whether each is sent under a new delivery id; otherwise under its old one. */
  newIds: boolean;
}

/** States of deliveries that can be replayed: all but `pending`, which are being sent already. */
export const replayableStates = [
  'exhausted',
  'delivered',
  'cancelled',
  'held',
] as const satisfies DeliveryState[];

export type ReplayableState = (typeof replayableStates)[number];

/** Why a selected delivery is not sent again. */
export type ReplaySkip = 'pending' | 'endpoint_deleted' | 'event_erased' | 'event_expired' | 'still_waiting';

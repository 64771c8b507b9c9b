import type { Difference, Terms, Total } from '@rewardhook/rewards';
import type { DateTime } from './response.ts';

export type { Rule, Terms } from '@rewardhook/rewards';

export interface ProgramVersionView {
  version: number;
  published_at: DateTime;
  /** The e-mail address of a user, or `operator`; null for the first version of a side. */
  published_by: string | null;
  /** Why, in the words of who published it; can be empty. */
  note: string;
  terms: Terms;
}

/** The next version as somebody has saved it. */
export interface ProgramDraftView {
  terms: Terms;
  /** The version that it was made from. */
  base_version: number;
  /** The e-mail address of a user. */
  saved_by: string;
  saved_at: DateTime;
}

/** The newest 100 versions, newest first; the first counts. */
export interface ProgramView {
  versions: ProgramVersionView[];
  /** Whether there are older ones. */
  more: boolean;
  /** Null when none is saved. */
  draft: ProgramDraftView | null;
}

/** Saves a draft in place of the one that the caller has read. 409 `version_conflict` when another one is stored by now. */
export interface SaveDraftRequest {
  terms: Terms;
  base_version: number;
  /** `saved_at` of the draft that the caller has read; null when there was none. Without it nothing is compared. */
  former_saved_at?: DateTime | null;
}

export interface SimulateRequest {
  terms: Terms;
  /** Orders from that order date on, which is at most 366 days ago; null or undefined: of the last 90 days. */
  since?: DateTime | null;
}

/** Draft and current rewards side by side; amounts by unit. The lists hold the first 200. */
export interface SimulationView {
  since: DateTime | null;
  orders: number;
  /** Reason → orders that come to it under the draft. */
  reasons: Record<string, number>;
  /** What each rule of the draft gives, in their order; amounts by unit. */
  rules: { id: string; orders: number; amounts: Record<string, number> }[];
  draft: Total;
  current: Total;
  /** Draft minus current. */
  difference: Total;
  gains_total: number;
  losses_total: number;
  gains: DifferenceView[];
  losses: DifferenceView[];
}

export interface DifferenceView {
  member_id: string;
  role: Difference['role'];
  order_id: string;
  type: Difference['type'];
  amount: number;
  unit: string;
}

/**
 * Bad terms are 400 with `params` by path below `terms`. 409 `version_conflict` when `base_version` is not the newest version:
 * `current` is that one, a `ProgramVersionView`, and `changed` holds the paths of the fields that differ between the two.
 */
export interface PublishProgramRequest {
  terms: Terms;
  /** The version that the terms were made from. */
  base_version: number;
  /** Why; at most 500 characters. */
  note?: string;
}

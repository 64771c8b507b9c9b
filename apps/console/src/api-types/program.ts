import type { Difference, Terms, Total } from '@rewardhook/rewards';
import type { DateTime } from './response.ts';

export type { Rule, Terms } from '@rewardhook/rewards';

export interface ProgramVersionView {
  version: number;
  published_at: DateTime;
  terms: Terms;
}

/** The versions are newest first; the first counts. */
export interface ProgramView {
  program_id: string;
  versions: ProgramVersionView[];
}

export interface SimulateRequest {
  terms: Terms;
  /** Orders from that order date on; null or undefined: all. */
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
}

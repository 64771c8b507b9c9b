import type { FiguresRow, ReferrerRow, VersionFiguresRow } from '@rewardhook/database';

export type { CostRow, FiguresRow, ReferrerRow, VersionFiguresRow } from '@rewardhook/database';

/** Days up to today, in the merchant's time zone; of a month or year, those that it has so far. */
export type PerformancePeriod =
  'today' | 'seven_days' | 'thirty_days' | 'this_month' | 'last_month' | 'this_year';

/** Default: the last 30 days. `from` and `to` are used instead of a period when both are given. */
export interface PerformanceFilter {
  period?: PerformancePeriod;
  /** Days such as `2026-11-01`, both inclusive; at most 366. */
  from?: string;
  to?: string;
}

/** Days, both inclusive. */
export interface DaysView {
  from: string;
  to: string;
}

export interface PerformanceView extends DaysView {
  figures: FiguresRow;
  /** The period before: of a month or year the same days of the one before it, else as many days. */
  before: DaysView & { figures: FiguresRow };
  days: ({ day: string } & Omit<FiguresRow, 'cost'>)[];
  /** Newest first; those that have figures in the period. */
  versions: VersionFiguresRow[];
  /** The 10 members whose referees have placed the most first orders. */
  referrers: ReferrerRow[];
}

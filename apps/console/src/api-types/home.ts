import type { Checklist, Days, FiguresRow, NewestReward } from '@rewardhook/database';

/** Days up to today, of the merchant's time zone: 7, 30, or those of this month. The default is 30. */
export type HomeRange = 'week' | 'days30' | 'month';

export interface HomeView {
  range: HomeRange;
  days: Days;
  figures: FiguresRow;
  /** As many days before; of a month, the same days of the month before. */
  before: Days;
  figures_before: FiguresRow;
  /** The newest rewards, with what became of them. */
  rewards: NewestReward[];
  /** The completed steps of a new merchant; null once a reward of its live side was delivered. */
  checklist: Checklist | null;
}

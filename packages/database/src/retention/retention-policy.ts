/** Clicks are kept for the longest attribution window of any merchant and these days. */
export const clickMarginDays = 7;

/** The counts of clicks are kept for a year, with the days before it that it is compared with. */
export const clickCountDays = 400;

/** Requests are kept for a week, to find the cause of an error; how many were refused, for a quarter. */
export const requestDays = 7;
export const requestCountDays = 90;

/**
 * The width of new partitions, in days: a twelfth of what is kept. A table then exceeds a
 * policy of 12 days or more by less than a tenth, its empty partitions included.
 */
export const partitionDays = (keptDays: number) => Math.max(1, Math.min(31, Math.floor(keptDays / 12)));

export const dayMs = 24 * 60 * 60 * 1_000;

/**
 * SQL for the start of the quarter-hour of a time. Counts by quarter-hour can be summed to the days of every time zone: all differ
 * from UTC by a multiple of it.
 */
export const quarterOf = (time: string): string =>
  `date_bin(interval '15 minutes', ${time}, timestamptz 'epoch')`;

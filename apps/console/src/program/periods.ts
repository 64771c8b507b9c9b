import type { Days } from '@rewardhook/database';
import type { PerformanceFilter, PerformancePeriod } from '../api-types.ts';
import { invalidField } from '../http/console-error.ts';

export const performancePeriods = [
  'today',
  'seven_days',
  'thirty_days',
  'this_month',
  'last_month',
  'this_year',
] as const satisfies PerformancePeriod[];

/** The most days of a range. */
export const mostDays = 366;

const dayMs = 86_400_000;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A day that is a number of days later, or earlier. */
export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * dayMs);

/** Whether a text is a day of the calendar, such as `2026-11-01`. */
export const isDay = (text: string): boolean =>
  /^(?:19[89]\d|2[01]\d{2})-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  dayOf(Date.parse(text)) === text;

/** The first day of a month that is a number of months later, or earlier. */
const addMonths = (day: string, months: number): string =>
  dayOf(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + months, 1));

export const lengthOf = ({ from, until }: Days): number => (Date.parse(until) - Date.parse(from)) / dayMs;

/** As many days from this one on, but not beyond the next period. */
const sameDays = (from: string, days: Days, end: string): Days => {
  const until = addDays(from, lengthOf(days));
  return { from, until: until < end ? until : end };
};

/** The days of a filter and of the period before it. @throws ConsoleError `invalid_request` */
export function daysOf(
  { period = 'thirty_days', from, to }: PerformanceFilter,
  today: string,
): { days: Days; before: Days } {
  const until = addDays(today, 1);
  const month = addMonths(today, 0);
  const year = `${today.slice(0, 4)}-01-01`;
  const followed = (days: Days) => ({
    days,
    before: { from: addDays(days.from, -lengthOf(days)), until: days.from },
  });
  if (from !== undefined || to !== undefined) {
    if (from === undefined) throw invalidField('from', 'required');
    if (to === undefined) throw invalidField('to', 'required');
    const days = { from, until: addDays(to, 1) };
    if (to < from) throw invalidField('to', 'not_before', { field: 'from' });
    if (lengthOf(days) > mostDays) throw invalidField('to', 'too_many_days', { limit: mostDays });
    return followed(days);
  }
  switch (period) {
    case 'today':
      return followed({ from: today, until });
    case 'seven_days':
      return followed({ from: addDays(today, -6), until });
    case 'thirty_days':
      return followed({ from: addDays(today, -29), until });
    case 'this_month': {
      const days = { from: month, until };
      return { days, before: sameDays(addMonths(month, -1), days, month) };
    }
    case 'last_month': {
      const last = addMonths(month, -1);
      return { days: { from: last, until: month }, before: { from: addMonths(month, -2), until: last } };
    }
    case 'this_year': {
      const days = { from: year, until };
      return { days, before: sameDays(addMonths(year, -12), days, year) };
    }
  }
}

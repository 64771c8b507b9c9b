import { timeZoneOrUtc } from '@rewardhook/contract';
import type { Days } from '@rewardhook/database';
import type { HomeRange } from '../api-types.ts';

/** The days of a range up to today, and those that they are compared with. */
export function homeDays(range: HomeRange, timezone: string, now = Date.now()): { days: Days; before: Days } {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: timeZoneOrUtc(timezone) }).format(now);
  const until = plusDays(today, 1);
  if (range !== 'month') {
    const number = range === 'week' ? 7 : 30;
    const from = plusDays(until, -number);
    return { days: { from, until }, before: { from: plusDays(from, -number), until: from } };
  }
  const from = `${today.slice(0, 7)}-01`;
  const fromBefore = `${plusDays(from, -1).slice(0, 7)}-01`;
  const sameDay = plusDays(fromBefore, Number(today.slice(8)));
  // The month before may be shorter.
  return { days: { from, until }, before: { from: fromBefore, until: sameDay < from ? sameDay : from } };
}

function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

import { useSession } from '../app/session-context.ts';
import { beginningOfDay } from '../formatting/format-time.ts';
import { useQueryState } from './use-query-state.ts';

/** Days that can be counted with in every time zone: before, offsets had seconds. */
const day = /^(?:19[89]\d|2\d{3})-\d{2}-\d{2}$/;

/** The text where it is a day such as `2026-11-21`: links are written by hand too, and cut off. */
const dayOf = (text: string | undefined): string | undefined =>
  text && day.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

/** The days from and to of the URL, both included. */
export function useDays(): { from: string | undefined; to: string | undefined } {
  const [get] = useQueryState();
  return { from: dayOf(get('from')), to: dayOf(get('to')) };
}

/** The days of the URL as moments for the API: `from` inclusive, `until` exclusive. */
export function useDayRange(): { from?: string; until?: string } {
  const { timezone } = useSession().merchant;
  const { from, to } = useDays();
  return {
    ...(from ? { from: beginningOfDay(from, timezone) } : {}),
    ...(to ? { until: beginningOfDay(to, timezone, 1) } : {}),
  };
}

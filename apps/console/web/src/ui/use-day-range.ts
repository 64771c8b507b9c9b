import { useSession } from '../app/session-context.ts';
import { startOfDay } from './format-time.ts';
import { useQueryState } from './use-query-state.ts';

/** Days whose offset is whole minutes in every time zone. Earlier offsets had seconds. */
const day = /^(?:19[89]\d|2\d{3})-\d{2}-\d{2}$/;

/** The text if it is a day such as `2026-11-21`. Links can be written by hand or cut off. */
const parseDay = (text: string | undefined): string | undefined =>
  text && day.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

/** The days `from` and `to` in the URL, both inclusive. */
export function useDays(): { from: string | undefined; to: string | undefined } {
  const [get] = useQueryState();
  return { from: parseDay(get('from')), to: parseDay(get('to')) };
}

/** The days in the URL as times for the API: `from` inclusive, `until` exclusive. */
export function useDayRange(): { from?: string; until?: string } {
  const { timezone } = useSession().merchant;
  const { from, to } = useDays();
  return {
    ...(from ? { from: startOfDay(from, timezone) } : {}),
    ...(to ? { until: startOfDay(to, timezone, 1) } : {}),
  };
}

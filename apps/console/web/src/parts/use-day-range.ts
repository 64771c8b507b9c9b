import { useSession } from '../app/session-context.ts';
import { beginningOfDay } from './format-time.ts';
import { useQueryState } from './use-query-state.ts';

const day = /^\d{4}-\d{2}-\d{2}$/;

/** The days of the URL as moments for the API: `from` inclusive, `until` exclusive. */
export function useDayRange(): { from?: string; until?: string } {
  const { timezone } = useSession().merchant;
  const [get] = useQueryState();
  const [from, to] = [get('from'), get('to')];
  return {
    ...(from && day.test(from) ? { from: beginningOfDay(from, timezone) } : {}),
    ...(to && day.test(to) ? { until: beginningOfDay(to, timezone, 1) } : {}),
  };
}

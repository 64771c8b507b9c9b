import type { TimelineEntryView } from '../../../data/types.ts';

/** An entry of the timeline with those that it caused: the parts of an evaluation or of a delivery, in their order. */
export interface TimelineGroup {
  head: TimelineEntryView;
  parts: TimelineEntryView[];
}

/** What one evaluation, or one correction by a person, writes at one time. */
const written = new Set([
  'reward_given',
  'reward_confirmed',
  'reward_revoked',
  'reward_cancelled',
  'event',
  'event_deleted',
]);
const writes = new Set(['evaluated', 'corrected']);
const ofDelivery = new Set(['attempt', 'attempts_deleted']);

/**
 * Groups a timeline: a reward and its event belong to the evaluation or correction that wrote them, which has the same time; an attempt
 * belongs to its delivery. Everything else is a group of its own.
 */
export function groupTimeline(timeline: TimelineEntryView[]): TimelineGroup[] {
  const groups: TimelineGroup[] = [];
  const deliveries = new Map<unknown, TimelineGroup>();
  const writers = new Map<string, TimelineGroup>();
  for (const entry of timeline) {
    const group = written.has(entry.what)
      ? writers.get(entry.at)
      : ofDelivery.has(entry.what)
        ? deliveries.get(entry['delivery_id'])
        : undefined;
    if (group) {
      group.parts.push(entry);
      continue;
    }
    const own: TimelineGroup = { head: entry, parts: [] };
    groups.push(own);
    if (writes.has(entry.what)) writers.set(entry.at, own);
    if (entry.what === 'delivery') deliveries.set(entry['delivery_id'], own);
  }
  return groups;
}

/**
 * Adds to an entry the details of an earlier one about the same reward or delivery, and to a delivery its event and reward. Its own details
 * take precedence.
 */
export function withContext(entry: TimelineEntryView, timeline: TimelineEntryView[]): TimelineEntryView {
  const find = (what: string, field: string, value: unknown) =>
    value === undefined
      ? undefined
      : timeline.find((earlier) => earlier.what === what && earlier[field] === value);
  const event = entry.what === 'delivery' ? find('event', 'event_id', entry['event_id']) : undefined;
  const delivery =
    entry.what === 'attempt' ? find('delivery', 'delivery_id', entry['delivery_id']) : undefined;
  const reward = find('reward_given', 'reward_id', entry['reward_id'] ?? event?.['reward_id']);
  return { ...reward, ...delivery, ...(event && { event_type: event['type'] }), ...entry };
}

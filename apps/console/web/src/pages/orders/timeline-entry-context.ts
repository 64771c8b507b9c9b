import type { TimelineEntryView } from '../../api/types.ts';

/** Adds what an earlier step of the timeline tells of the same reward or delivery; a step's own details count first. */
export function withContext(entry: TimelineEntryView, timeline: TimelineEntryView[]): TimelineEntryView {
  const { what, reward_id: rewardId, delivery_id: deliveryId } = entry;
  const context = timeline.find((earlier) =>
    what === 'attempt'
      ? earlier.what === 'delivery' && earlier['delivery_id'] === deliveryId
      : rewardId !== undefined && earlier.what === 'reward_given' && earlier['reward_id'] === rewardId,
  );
  return { ...context, ...entry };
}

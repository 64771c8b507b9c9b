import type { HappeningView } from '../../api/types.ts';

/** Adds what an earlier step of the story tells of the same reward or delivery; a step's own details count first. */
export function withContext(happening: HappeningView, story: HappeningView[]): HappeningView {
  const { what, reward_id: rewardId, delivery_id: deliveryId } = happening;
  const context = story.find((earlier) =>
    what === 'attempt'
      ? earlier.what === 'delivery' && earlier['delivery_id'] === deliveryId
      : rewardId !== undefined && earlier.what === 'reward_given' && earlier['reward_id'] === rewardId,
  );
  return { ...context, ...happening };
}

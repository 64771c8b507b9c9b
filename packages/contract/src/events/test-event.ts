import { newId } from '../identifiers/random-text.ts';
import type { EventType, RewardEventData, WebhookEvent } from './event.ts';
import { eventCatalogue } from './event-catalogue.ts';

/**
 * Makes a test event: the sample of the type with `"test": true`, a new event id and the given time. The id of its reward
 * is new each time, so that a receiver that ignores the mark does not take it for one that it has handled. Its members and
 * order exist in no shop, and its amount is 1, so that such a receiver grants nobody anything of value.
 */
export function buildTestEvent(type: EventType, at: Date): WebhookEvent {
  const { data: sample } = eventCatalogue[type].sample;
  const data = 'reward' in sample ? withoutRealNames(sample as RewardEventData) : sample;
  return { id: newId('evt'), type, test: true, created_at: at.toISOString(), data } as WebhookEvent;
}

function withoutRealNames(sample: RewardEventData): RewardEventData {
  const [member, referrer] = ['test-member', 'test-referrer'];
  return {
    ...sample,
    reward: { ...sample.reward, id: newId('rwd'), amount: 1 },
    member_id: member,
    referral: { ...sample.referral, referrer_member_id: referrer, referee_member_id: member },
    order: { ...sample.order, order_id: 'test-order' },
  };
}

import { newId } from '../identifiers/random-text.ts';
import type { EventType, WebhookEvent } from './event.ts';
import { eventCatalogue } from './event-catalogue.ts';

/**
 * Makes a test event: the sample of the type with `"test": true`, a new event id and the given time. The id of its reward
 * is new each time, so that a receiver that ignores the mark does not take it for one that it has handled.
 */
export function buildTestEvent(type: EventType, at: Date): WebhookEvent {
  const { data: sample } = eventCatalogue[type].sample;
  const data = 'reward' in sample ? { ...sample, reward: { ...sample.reward, id: newId('rwd') } } : sample;
  return { id: newId('evt'), type, test: true, created_at: at.toISOString(), data } as WebhookEvent;
}

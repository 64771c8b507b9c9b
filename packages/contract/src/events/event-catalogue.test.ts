import { compileJsonSchema } from '@rewardhook/testing/answers';
import type { EventType } from './event.ts';
import { eventCatalogue, eventTypes } from './event-catalogue.ts';
import { buildTestEvent } from './test-event.ts';

const at = new Date('2026-11-22T10:00:00.250Z');
const schemaErrors = (type: EventType, value: unknown) =>
  compileJsonSchema(eventCatalogue[type].schema)(value);

describe('The event catalogue', () => {
  it.each(eventTypes)('the sample of %s is valid by the schema of its type, and by no other', (type) => {
    const { sample } = eventCatalogue[type];
    expect(eventTypes.filter((other) => schemaErrors(other, sample).length === 0)).toEqual([type]);
  });

  it.each(eventTypes)('a test event of %s is valid by the schema of its type, and is marked', (type) => {
    const event = buildTestEvent(type, at);
    expect(schemaErrors(type, event)).toEqual([]);
    expect(event).toMatchObject({ type, test: true, created_at: '2026-11-22T10:00:00.250Z' });
  });

  it('each test event has an event id and a reward id of its own', () => {
    const ids = ['reward.issue', 'reward.issue', 'reward.revoke', 'reward.revoke'].flatMap((type) => {
      const { id, data } = buildTestEvent(type as 'reward.issue', at) as { id: string; data: object };
      return [id, (data as { reward: { id: string } }).reward.id];
    });
    expect(new Set(ids).size).toBe(8);
  });

  it.each(['reward.issue', 'reward.revoke'] as const)(
    'a test event of %s names no member and no order of a shop, and is worth 1 point',
    (type) => {
      expect(buildTestEvent(type, at)).toMatchObject({
        data: {
          reward: { amount: 1 },
          member_id: 'test-member',
          referral: { referrer_member_id: 'test-referrer', referee_member_id: 'test-member' },
          order: { order_id: 'test-order' },
        },
      });
    },
  );

  it('an event with fields of a later release is valid', () => {
    const { sample } = eventCatalogue['reward.issue'];
    const later = { ...sample, livemode: true, data: { ...sample.data, channel: 'app' } };
    expect(schemaErrors('reward.issue', later)).toEqual([]);
  });

  it.each(eventTypes)(
    'an event %s without its data, or with another mark than true, is not valid',
    (type) => {
      const { data: _data, ...rest } = eventCatalogue[type].sample;
      expect(schemaErrors(type, rest)).not.toEqual([]);
      expect(schemaErrors(type, { ...eventCatalogue[type].sample, test: false })).not.toEqual([]);
    },
  );
});

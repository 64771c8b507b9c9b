import { describeDisabledReason } from './disabled-reason.ts';
import type { EndpointNoticeData, EventOf, EventType, RewardEventData } from './event.ts';
import { eventDataSchemas, eventSchema } from './event-schemas.ts';
import type { JsonSchema } from '../json/json-schema.ts';

/** What is published about an event type. */
export interface EventDefinition<Type extends EventType = EventType> {
  /** A few words, without a full stop. */
  title: string;
  /** When it is sent and what the receiver does, in Markdown. */
  description: string;
  /** JSON Schema (draft 2020-12) of the body. Unknown fields are allowed. */
  schema: JsonSchema;
  /** A body as the service sends it. */
  sample: EventOf<Type>;
}

const rewardSample: RewardEventData = {
  reward: { id: 'rwd_4vKmYw2bXcN8TzQ1sHdR6J', type: 'points', amount: 3_000, unit: 'points' },
  member_id: 'bob',
  role: 'referee',
  referral: {
    id: 'ref_9TqLb3WnZx5YfGk7Vd2RsM',
    code: 'FGPPCB8H',
    referrer_member_id: 'alice',
    referee_member_id: 'bob',
    linked_at: '2026-11-20T08:00:00.251907Z',
  },
  order: {
    order_id: '1001',
    order_date: '2026-11-21T01:00:00.000000Z',
    paid_at: '2026-11-21T01:00:05.000000Z',
    order_amount: 30_000,
    paid_amount: 27_000,
    shipping_amount: 3_000,
  },
  program: { id: 'prg_2HcVt8KzPw6QmXs4Bn9RdJ', version: 1, rule: 'default' },
};

const noticeSample: EndpointNoticeData = {
  endpoint: { id: 'whk_7RnCx4JpZt9WvLq2Kd5SbG', url: 'https://shop.example.com/rewardhook' },
  failing_since: '2026-11-16T01:00:06.480Z',
  failures_in_a_row: 7,
  disabled_at: '2026-11-21T01:00:06.480Z',
  reason: 'it answered 500',
};

function definition<Type extends EventType>(
  type: Type,
  { title, description }: Pick<EventDefinition<Type>, 'title' | 'description'>,
  sample: Pick<EventOf<Type>, 'id' | 'created_at' | 'data'>,
): EventDefinition<Type> {
  const { id, created_at: createdAt, data: sampleData } = sample;
  return {
    title,
    description,
    schema: eventSchema<Type, unknown>(type, title, description, eventDataSchemas[type]),
    sample: { id, type, created_at: createdAt, data: sampleData } as EventOf<Type>,
  };
}

/**
 * Every event type. The API, the OpenAPI document, the console, the command line and the documents take theirs from this
 * table.
 */
export const eventCatalogue: { readonly [Type in EventType]: EventDefinition<Type> } = {
  'reward.issue': definition(
    'reward.issue',
    {
      title: 'Reward issued',
      description: 'A reward is confirmed. Grant it to `data.member_id`, once for each `data.reward.id`.',
    },
    { id: 'evt_5BzNq8XkYw3TmRc7Vd2PsJ', created_at: '2026-11-21T01:00:06.312Z', data: rewardSample },
  ),
  'reward.revoke': definition(
    'reward.revoke',
    {
      title: 'Reward revoked',
      description:
        'A reward that was issued is revoked, for the `data.reason` given. Take it back from `data.member_id`, once for ' +
        'each `data.reward.id`. It can arrive before its `reward.issue`.',
    },
    {
      id: 'evt_8KwRt4ZpXn6QvLc9Bd3HsM',
      created_at: '2026-11-22T05:30:02.745Z',
      data: { ...rewardSample, reason: 'cancelled' },
    },
  ),
  'webhook.ping': definition(
    'webhook.ping',
    {
      title: 'Ping',
      description: 'A test event without content. Answer it with 2xx.',
    },
    { id: 'evt_3XnVk7WqZt5RmYc2Ld8PbG', created_at: '2026-11-21T01:00:00.105Z', data: {} },
  ),
  'endpoint.failing': definition(
    'endpoint.failing',
    {
      title: 'Webhook failing',
      description:
        'Another of your webhooks keeps failing. Its deliveries wait, and single probes are sent until one succeeds.',
    },
    {
      id: 'evt_6TcMb9YxKw2NvRq4Zd7SpJ',
      created_at: '2026-11-16T01:01:42.018Z',
      data: noticeSample,
    },
  ),
  'endpoint.disabling_soon': definition(
    'endpoint.disabling_soon',
    {
      title: 'Webhook will be disabled',
      description:
        'Another of your webhooks has failed for days. It will be disabled at `data.disabled_at` if it continues to fail.',
    },
    {
      id: 'evt_9PwZk3RtXn8LvQc5Bd6HmG',
      created_at: '2026-11-18T13:02:11.530Z',
      data: { ...noticeSample, failures_in_a_row: 31 },
    },
  ),
  'endpoint.disabled': definition(
    'endpoint.disabled',
    {
      title: 'Webhook disabled',
      description:
        'Another of your webhooks was disabled. Its deliveries are held until you enable it again.',
    },
    {
      id: 'evt_2LqXt6WnYk4RvMc8Zd9PsB',
      created_at: '2026-11-21T01:04:37.902Z',
      data: {
        ...noticeSample,
        failures_in_a_row: 48,
        disabled_at: '2026-11-21T01:04:37.896Z',
        reason: describeDisabledReason({ code: 'failing_with_status', parameters: { status: 500 } }),
      },
    },
  ),
};

/** The event types, in the order of the catalogue. */
export const eventTypes = Object.keys(eventCatalogue) as EventType[];

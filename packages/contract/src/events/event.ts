import type { eventDataSchemas, eventSchema } from './event-schemas.ts';
import type { TypeOf } from '../json/json-schema.ts';

/** The data of each event type, as its schema says. */
export type EventDataByType = {
  [Type in keyof typeof eventDataSchemas]: TypeOf<(typeof eventDataSchemas)[Type]>;
};

/** An event type that a merchant can receive; the value of the header `X-Service-Event`. */
export type EventType = keyof EventDataByType;

/** The reward of an event, the member who gets it, and its cause. Amounts are integers of won. */
export type RewardEventData = EventDataByType['reward.issue'];

/** The reward that is taken back, and why: the reason code of the decision that withdrew it. */
export type RewardRevokeEventData = EventDataByType['reward.revoke'];

/** The data of a notice about a failing endpoint. Date-times are ISO 8601 in UTC. */
export type EndpointNoticeData = EventDataByType['endpoint.failing'];

/** The JSON body of a webhook of one of the types. */
export type EventOf<Type extends EventType> = {
  [One in Type]: TypeOf<ReturnType<typeof eventSchema<One, EventDataByType[One]>>>;
}[Type];

/** The JSON body of a webhook. */
export type WebhookEvent = EventOf<EventType>;

/** A notice about a failing endpoint. */
export type EndpointNoticeEvent = EventOf<
  'endpoint.failing' | 'endpoint.disabling_soon' | 'endpoint.disabled'
>;

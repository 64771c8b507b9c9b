/** Every event type that a merchant can receive; the value of the header `X-Service-Event`. */
export const eventTypes = [
  'reward.issue',
  'reward.revoke',
  'webhook.ping',
  'endpoint.failing',
  'endpoint.disabling_soon',
  'endpoint.disabled',
] as const;

/** One of {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** The reward of an event, the member who gets it, and its cause. Amounts are integers of won. */
export interface RewardEventData {
  reward: { id: string; type: 'points' | 'coupon'; amount: number; unit: string };
  /** The member to whom the merchant grants the reward, or from whom it takes the reward back. */
  member_id: string;
  role: 'referee' | 'referrer';
  referral: {
    id: string;
    /** The referral code used; null when the merchant linked the two members from its server. */
    code: string | null;
    referrer_member_id: string;
    referee_member_id: string;
    linked_at: string;
  };
  order: {
    order_id: string;
    order_date: string;
    paid_at: string | null;
    order_amount: number;
    paid_amount: number;
    shipping_amount: number;
  };
  program: { id: string; version: number };
}

interface EventEnvelope<Type extends EventType, Data> {
  /** `evt_…`, the same in every delivery of this event. */
  id: string;
  type: Type;
  /** ISO 8601 in UTC. */
  created_at: string;
  data: Data;
}

/** A reward is confirmed. The merchant grants it. */
export type RewardIssueEvent = EventEnvelope<'reward.issue', RewardEventData>;

/** A reward that was issued is revoked because its order was cancelled or returned. The merchant takes it back. */
export type RewardRevokeEvent = EventEnvelope<'reward.revoke', RewardEventData>;

/** A test event. The merchant only answers with 2xx. */
export type WebhookPingEvent = EventEnvelope<'webhook.ping', Record<string, never>>;

/** The data of a notice about a failing endpoint. Date-times are ISO 8601 in UTC. */
export interface EndpointNoticeData {
  endpoint: { id: string; url: string };
  /** The time since which every attempt has failed. */
  failing_since: string;
  failures_in_a_row: number;
  /** When the endpoint will be disabled if it continues to fail; in `endpoint.disabled`, when it was disabled. */
  disabled_at: string;
  /** The problem, in one sentence. */
  reason: string;
}

/** An endpoint of the merchant fails. Sent to the merchant's other endpoints that are registered for the type. */
export type EndpointNoticeEvent = EventEnvelope<
  'endpoint.failing' | 'endpoint.disabling_soon' | 'endpoint.disabled',
  EndpointNoticeData
>;

/** The JSON body of a webhook. */
export type WebhookEvent = RewardIssueEvent | RewardRevokeEvent | WebhookPingEvent | EndpointNoticeEvent;

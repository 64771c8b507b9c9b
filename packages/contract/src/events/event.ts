import type { EventType } from './event-types.ts';

/** The reward an event is about, the side it goes to, and why it is due. Amounts of money are integer won. */
export interface RewardEventData {
  reward: { id: string; type: 'points' | 'coupon'; amount: number; unit: string };
  /** The member to whom the merchant grants the reward (or from whom it takes it back). */
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

/** A reward is confirmed: the merchant grants it. */
export type RewardIssueEvent = EventEnvelope<'reward.issue', RewardEventData>;

/** A reward issued earlier is taken back, its order having been cancelled or returned. */
export type RewardRevokeEvent = EventEnvelope<'reward.revoke', RewardEventData>;

/** A trial event that asks nothing of the merchant but a 2xx. */
export type WebhookPingEvent = EventEnvelope<'webhook.ping', Record<string, never>>;

/** What a notice about a failing endpoint says. Date-times are ISO 8601 in UTC. */
export interface EndpointNoticeData {
  endpoint: { id: string; url: string };
  /** Since when every attempt has failed. */
  failing_since: string;
  failures_in_a_row: number;
  /** When it is disabled if it goes on failing; when it was, in `endpoint.disabled`. */
  disabled_at: string;
  /** What is wrong, in a sentence. */
  reason: string;
}

/** An endpoint of the merchant fails: sent to the merchant's other endpoints that registered it. */
export type EndpointNoticeEvent = EventEnvelope<
  'endpoint.failing' | 'endpoint.disabling_soon' | 'endpoint.disabled',
  EndpointNoticeData
>;

/** The JSON body of a webhook. */
export type WebhookEvent = RewardIssueEvent | RewardRevokeEvent | WebhookPingEvent | EndpointNoticeEvent;

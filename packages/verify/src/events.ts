/** The reward of an event, the member who gets it, and its cause. Amounts are integers of won. */
export interface RewardEventData {
  /** `expires_at`: when you let it expire, `valid_days` after its confirmation. Absent if it does not. */
  reward: {
    id: string;
    type: 'points' | 'coupon';
    amount: number;
    unit: string;
    valid_days?: number;
    expires_at?: string;
  };
  /** The member to whom you grant the reward, or from whom you take it back. */
  member_id: string;
  role: 'referee' | 'referrer';
  referral: {
    id: string;
    /** The code of the referrer. */
    code: string;
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
  /** `rule`: its id in that version; null for a reward that a person gave. */
  program: { id: string; version: number; rule: string | null };
}

/** The reward that is taken back, and why. */
export interface RewardRevokeEventData extends RewardEventData {
  /** A reason code, such as `cancelled`. A later release can add codes. */
  reason: string;
}

/** A notice about one of your webhooks that fails. */
export interface EndpointNoticeData {
  endpoint: { id: string; url: string };
  failing_since: string;
  failures_in_a_row: number;
  disabled_at: string;
  reason: string;
}

/** The data of each event type. */
interface EventDataByType {
  /** A reward is confirmed: grant it. */
  'reward.issue': RewardEventData;
  /** A reward that was issued is revoked: take it back. */
  'reward.revoke': RewardRevokeEventData;
  /** Sent to try out a webhook. */
  'webhook.ping': Record<string, never>;
  /** Another of your webhooks fails, and will be disabled if it continues to. */
  'endpoint.failing': EndpointNoticeData;
  'endpoint.disabling_soon': EndpointNoticeData;
  'endpoint.disabled': EndpointNoticeData;
}

/** The type of an event. A later release can add types: ignore those that you do not know. */
export type EventType = keyof EventDataByType;

/** An event of one of the types. */
export type EventOf<Type extends EventType> = {
  [One in Type]: {
    /** `evt_…`, the same in every delivery of the event, to every URL. */
    id: string;
    type: One;
    /** Only in test events: grant nothing and take nothing back. */
    test?: true;
    /** Only in events of the test side, which stand for no money. */
    mode?: 'test';
    /** ISO 8601 in UTC. */
    created_at: string;
    data: EventDataByType[One];
  };
}[Type];

/** The body of a webhook. `type` tells which. */
export type WebhookEvent = EventOf<EventType>;

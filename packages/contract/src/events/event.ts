/** The reward of an event, the member who gets it, and its cause. Amounts are integers of won. */
export interface RewardEventData {
  reward: { id: string; type: 'points' | 'coupon'; amount: number; unit: string };
  /** The member to whom the merchant grants the reward, or from whom it takes the reward back. */
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
  program: { id: string; version: number };
}

/** The reward that is taken back, and why. */
export interface RewardRevokeEventData extends RewardEventData {
  /** The reason code of the decision that withdrew the reward; see {@link revokeReasons}. */
  reason: string;
}

/** The reason codes with which a reward that was issued can be revoked. A later release can add codes. */
export const revokeReasons = {
  cancelled: 'the order, or each of its products, was cancelled',
  returned: 'the order was returned',
  not_new: 'a paid order of the member from before they followed the code became known',
  not_paid: 'the order was sent again without `paid_at`',
  not_paid_yet: 'the order was sent again with a `paid_at` in the future',
  unsupported_currency: 'the order was sent again in a currency other than won',
  below_minimum: 'the amount paid fell below the minimum of the program, or to nothing besides shipping',
  before_link:
    'the order was sent again with a date from before its member was linked, or the link that counts is a later one',
  outside_window: 'the order was sent again with a date after the eligibility window',
  not_first_order: 'an earlier order of the member counts as the first one',
  member_not_linked: 'the order was sent again with another member',
  referral_rejected: "the member's referral was rejected",
  link_moved: 'a person moved the link of the member to another referrer, who may get a reward of their own',
  revoked_by_person: 'a person of the shop took the reward back',
  amount_changed:
    'the amount of the order changed; a `reward.issue` of another reward with the new amount follows',
  nothing_to_give: 'the amount of the reward came to 0',
} as const;

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

/** The data of each event type. */
export interface EventDataByType {
  /** A reward is confirmed. The merchant grants it. */
  'reward.issue': RewardEventData;
  /** A reward that was issued is revoked, for example because its order was cancelled. The merchant takes it back. */
  'reward.revoke': RewardRevokeEventData;
  /** A test event. The merchant only answers with 2xx. */
  'webhook.ping': Record<string, never>;
  /** An endpoint fails. Sent, like the next two, to the other endpoints that are registered for the type. */
  'endpoint.failing': EndpointNoticeData;
  'endpoint.disabling_soon': EndpointNoticeData;
  'endpoint.disabled': EndpointNoticeData;
}

/** An event type that a merchant can receive; the value of the header `X-Service-Event`. */
export type EventType = keyof EventDataByType;

/** The JSON body of a webhook of one of the types. */
export type EventOf<Type extends EventType> = {
  [One in Type]: {
    /** `evt_…`, the same in every delivery of this event. */
    id: string;
    type: One;
    /** Only in test events, whose receiver must grant nothing and take nothing back. */
    test?: true;
    /** Only in events of the test side. */
    mode?: 'test';
    /** ISO 8601 in UTC. */
    created_at: string;
    data: EventDataByType[One];
  };
}[Type];

/** The JSON body of a webhook. */
export type WebhookEvent = EventOf<EventType>;

/** A notice about a failing endpoint. */
export type EndpointNoticeEvent = EventOf<
  'endpoint.failing' | 'endpoint.disabling_soon' | 'endpoint.disabled'
>;

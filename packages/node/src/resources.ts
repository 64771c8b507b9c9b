import type { EventType } from './events.ts';

/** An order as it is stored. Amounts are integers of won, date-times ISO 8601 in UTC. */
export interface StoredOrder {
  order_id: string;
  member_id: string;
  order_amount: number;
  paid_amount: number;
  /** `paid_amount` without the products that were cancelled. */
  paid_now: number;
  /** Whether all its products are cancelled: the order then counts as cancelled. */
  every_product_cancelled: boolean;
  shipping_amount: number;
  order_date: string;
  first_order: boolean;
  paid_at: string | null;
  cancelled_at: string | null;
  returned_at: string | null;
  /** ISO 4217, or the text that was sent in its place. */
  currency: string;
  /** In lower case. */
  labels: string[];
  created_at: string;
  updated_at: string;
}

/** An order in a list. */
export interface OrderListItem extends StoredOrder {
  items_count: number;
  /** The reason code of its newest decision; null without one. */
  last_reason: string | null;
}

/** An order with its items as they were sent. */
export interface OrderDetails extends StoredOrder {
  items: ({
    product_id: string;
    product_name: string;
    quantity: number;
    price: number;
    paid_amount: number;
    sku?: string;
    cancelled_at?: string | null;
    /** In lower case; absent for none. */
    labels?: string[];
  } & Record<string, unknown>)[];
}

/** What an evaluation decided about an order. */
export interface DecisionSummary {
  /** The id of the rule that decided, or whose failed condition is the reason; null when it is a check that all rules share. */
  rule: string | null;
  outcome: string;
  reason: string;
  checks: {
    check: string;
    passed: boolean;
    value: string | number | boolean | null;
    threshold: string | number | null;
    /** Of the first failed check of a rule that was tried before: the id of that rule. */
    rule?: string;
  }[];
}

/** Why an order earned a reward or none. */
export interface OrderExplanation {
  order_id: string;
  member_id: string;
  /** The id that the order was sent with, when that member was merged into `member_id`; else null. */
  sent_member_id: string | null;
  version: number;
  referral: {
    id: string;
    referrer_member_id: string;
    referee_member_id: string;
    linked_at: string;
    review: Referral['review'];
  } | null;
  /** Referred members whose id looks like `member_id`, such as `kim` and `Kim`: at most three, none if this member was referred. */
  similar_members: string[];
  /** The version of the program under which `decision` was made. */
  program: { id: string; version: number };
  /** Whether a newer state of the order waits for evaluation. */
  waits_for_evaluation: boolean;
  /** Since when its evaluation is parked because it failed repeatedly; or null. */
  evaluation_failed_since: string | null;
  decision: DecisionSummary;
  stored_decision: {
    number: number;
    decided_at: string;
    order_version: number;
    program_version: number;
  } | null;
  /** The decision that the newest state would get now. */
  today: DecisionSummary & { program: { id: string; version: number } };
  /** What would have to be different for the order to earn a reward, in English; or null. */
  counterfactual: string | null;
  /** The same as codes and parameters. */
  counterfactual_parts: {
    earns: Pick<Reward, 'role' | 'type' | 'amount' | 'unit'>[];
    conditions: ({ code: string } & Record<string, unknown>)[];
  } | null;
  /** Oldest first. `what` determines the other fields. */
  timeline: ({ at: string; what: string } & Record<string, unknown>)[];
}

/** A reward. */
export interface Reward {
  id: string;
  state: 'pending' | 'confirmed' | 'revoked' | 'cancelled';
  role: 'referee' | 'referrer';
  member_id: string;
  order_id: string;
  referral_id: string;
  type: 'points' | 'coupon';
  amount: number;
  unit: string;
  program_version: number;
  created_at: string;
  confirm_due_at: string | null;
  confirmed_at: string | null;
  ended_at: string | null;
  /** What a person did; null when only the rule decided. */
  corrected: 'granted' | 'adjusted' | 'revoked' | null;
  /** The member in its `reward.issue`, when that member was merged since; else null. */
  issued_member_id: string | null;
}

/** The link between a referrer and a referee. */
export interface Referral {
  id: string;
  referrer_member_id: string;
  referee_member_id: string;
  /** The code of the referrer. */
  code: string;
  source: 'boot' | 'link';
  flags: string[];
  linked_at: string;
  review: 'none' | 'pending' | 'accepted' | 'rejected';
  reviewed_at: string | null;
  /** Whether the referee had a paid order more than 24 hours before they followed the code: it earns nothing. */
  not_new: boolean;
  /** Why it ended when members were merged; null while it is live. */
  ended: 'merged' | 'cycle' | null;
  /** The order that a person said came from the referrer: only orders from its date on count. */
  from_order_id: string | null;
  /** What people changed, newest first, at most 20. */
  moves: {
    number: number;
    /** Null when there was none. */
    from_referrer_member_id: string | null;
    to_referrer_member_id: string;
    from_order_id: string | null;
    reason: string;
    moved_at: string;
  }[];
}

/** What a merge of members changed, or would change. */
export interface MergedMember {
  member_id: string;
  merged_member_id: string;
  orders_moved: number;
  /** Members that the merged one had referred. */
  referees_moved: number;
  /** The referral of the surviving member. */
  referral_id: string | null;
  ended_referral: { id: string; reason: 'merged' | 'cycle' } | null;
  /** Pending rewards of the referral that ended. */
  rewards_cancelled: number;
  /** Confirmed rewards of it, which stay, and the first ids of them. */
  rewards_kept: number;
  kept_reward_ids: string[];
  dry_run: boolean;
}

/** Rewards of some orders: at most 20 of these, and the sums of all. */
export interface OrderRewards {
  orders: {
    order_id: string;
    rewards: Pick<Reward, 'role' | 'member_id' | 'type' | 'amount' | 'unit'>[];
  }[];
  totals: { unit: string; amount: number }[];
}

/** The result of moving a link. */
export type MovedLink = Pick<
  Referral,
  'id' | 'referrer_member_id' | 'referee_member_id' | 'code' | 'linked_at' | 'from_order_id' | 'review'
> & {
  /** Null when there was none. */
  former_referrer_member_id: string | null;
  /** Whether nothing was moved: the request had `dry_run`. */
  dry_run: boolean;
  /** What is taken back, and what is given in its place. Null when an order cannot be read. */
  withdrawn: (OrderRewards & { rewards: number }) | null;
  given: (OrderRewards & { rewards: number }) | null;
  /** False when the referee has more than 1,000 orders, of which the oldest are considered. */
  complete: boolean;
};

/** The result of linking two members. */
export type LinkedReferral = Pick<
  Referral,
  'id' | 'referrer_member_id' | 'referee_member_id' | 'code' | 'linked_at' | 'flags' | 'review'
> & {
  /** Whether nothing was linked: the request had `dry_run`. */
  dry_run: boolean;
  /** What the orders that the referee has already earn because of the link: at most 20 of them, and the sums of all. Null when one cannot be read. */
  earlier_orders:
    | (OrderRewards & {
        /** False when the referee has more than 1,000 orders, of which the oldest are considered. */
        complete: boolean;
      })
    | null;
};

/** The result of `members.link`. */
export type LinkResult = LinkedReferral & {
  /** Fields that are probably a mistake, and `referee_member_id` when the link existed before. */
  warnings: Record<string, string>;
};

/** A member in a list. */
export interface MemberListItem {
  member_id: string;
  referral_code: string;
  created_at: string;
  referrer_member_id: string | null;
  /** The number of members whom they referred. */
  referees: number;
}

/** A member with their code, share link and counts. */
export interface Member {
  member_id: string;
  /** Ids that mean this member, because they were merged. */
  aliases: string[];
  referral_code: string | null;
  share_link: string | null;
  created_at: string | null;
  referrer: {
    member_id: string;
    referral_id: string;
    code: string;
    linked_at: string;
    review: Referral['review'];
    /** How often people moved the link. */
    moves: number;
  } | null;
  counts: { referees: number; orders: number; rewards: Record<Reward['state'], number> };
}

/** A registered webhook with its state. */
export interface Webhook {
  id: string;
  /** What you call it; null without a name. */
  name: string | null;
  url: string;
  event_types: string[];
  created_at: string;
  status: 'active' | 'paused' | 'failing' | 'disabled';
  disabled_at: string | null;
  disabled_reason: { code: string; parameters: Record<string, unknown> } | null;
  paused_at: string | null;
  retry_hours: number | null;
  failing_since: string | null;
  failures_in_a_row: number;
}

/** A delivery of an event to a webhook. */
export interface Delivery {
  id: string;
  state: 'pending' | 'held' | 'delivered' | 'exhausted' | 'cancelled';
  event_id: string;
  event_type: EventType;
  webhook_id: string;
  url: string;
  order_id: string | null;
  member_id: string | null;
  attempts_made: number;
  last_status: number | null;
  last_error: Attempt['error'];
  last_attempt_at: string | null;
  created_at: string;
  next_attempt_at: string | null;
  finished_at: string | null;
  replay_id: string | null;
}

/** One POST of a delivery. */
export interface Attempt {
  number: number;
  started_at: string;
  url: string;
  status: number | null;
  /** Why there was no response. */
  error: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked' | 'aborted' | null;
  error_message: string | null;
  duration_ms: number | null;
  response_body: string | null;
  /** What was wrong with the response after its status, such as an incomplete body. */
  warning: string | null;
  /** Whether a reused connection broke before a response began, so that the request was sent once more. */
  retried_on_new_connection: boolean;
  /** Whether your server answered that it does not handle the event type: `"ignored": true`. */
  ignored: boolean;
}

/** A delivery with its attempts, oldest first. */
export interface DeliveryDetails extends Delivery {
  attempts: Attempt[];
}

/** A test event that was sent. */
export interface SentTestEvent {
  delivery_id: string;
  event_id: string;
  event_type: EventType;
  /** Whether the webhook answered 2xx. */
  delivered: boolean;
  attempt: Attempt;
}

import { eventCatalogue } from '@rewardhook/contract';

const { data: event } = eventCatalogue['reward.issue'].sample;
const { referral, order, reward } = event;

/** The order that the documents send. */
export const exampleOrder = {
  order_id: order.order_id,
  member_id: event.member_id,
  order_amount: order.order_amount,
  paid_amount: order.paid_amount,
  shipping_amount: order.shipping_amount,
  order_date: '2026-11-21T10:00:00+09:00',
  paid_at: '2026-11-21T10:00:05+09:00',
  items: [{ product_id: 'p1', product_name: 'Tea', quantity: 2, price: 15_000, paid_amount: 24_000 }],
};

const orderState = {
  ...order,
  member_id: event.member_id,
  paid_now: order.paid_amount,
  every_product_cancelled: false,
  first_order: false,
  cancelled_at: null,
  returned_at: null,
  currency: 'KRW',
  created_at: '2026-11-21T01:00:06.204518Z',
  updated_at: '2026-11-21T01:00:06.204518Z',
};

const attempt = {
  number: 1,
  started_at: '2026-11-21T01:00:06.348000Z',
  url: 'https://shop.example.com/rewardhook',
  status: 204,
  error: null,
  error_message: null,
  duration_ms: 38.21,
  response_body: null,
  warning: null,
  retried_on_new_connection: false,
  ignored: false,
};

const delivery = {
  id: '8c1f6b0e-5d1c-4a57-9a53-0f4f5a1f2b7d',
  state: 'delivered',
  event_id: eventCatalogue['reward.issue'].sample.id,
  event_type: 'reward.issue',
  webhook_id: 'whk_7RnCx4JpZt9WvLq2Kd5SbG',
  url: attempt.url,
  order_id: order.order_id,
  member_id: event.member_id,
  attempts_made: 1,
  last_status: 204,
  last_error: null,
  last_attempt_at: attempt.started_at,
  created_at: '2026-11-21T01:00:06.312480Z',
  next_attempt_at: null,
  finished_at: '2026-11-21T01:00:06.391174Z',
  replay_id: null,
};

const checks = [
  { check: 'linked', value: true, threshold: null, passed: true },
  { check: 'paid', value: order.paid_at, threshold: null, passed: true },
];
const decision = { outcome: 'rewarded', reason: 'rewarded', checks };

/** Bodies of answers, without their envelope. A test compares them with their schemas. */
export const examples = {
  orderListItem: { ...orderState, items_count: 1, last_reason: 'rewarded' },
  storedOrder: {
    ...orderState,
    items: [{ ...exampleOrder.items[0], sku: '', cancelled_at: null }],
  },
  explanation: {
    order_id: order.order_id,
    member_id: event.member_id,
    version: 1_763_686_806_204_518,
    referral: {
      id: referral.id,
      referrer_member_id: referral.referrer_member_id,
      referee_member_id: referral.referee_member_id,
      linked_at: referral.linked_at,
      review: 'none',
    },
    similar_members: [],
    program: event.program,
    waits_for_evaluation: false,
    evaluation_failed_since: null,
    decision,
    stored_decision: {
      number: 1,
      decided_at: '2026-11-21T01:00:06.312480Z',
      order_version: 1_763_686_806_204_518,
      program_version: 1,
    },
    today: { ...decision, outcome: 'kept', program: event.program },
    counterfactual: null,
    counterfactual_parts: null,
    timeline: [{ at: '2026-11-21T01:00:06.204518Z', what: 'version' }],
  },
  reward: {
    id: reward.id,
    state: 'confirmed',
    role: event.role,
    member_id: event.member_id,
    order_id: order.order_id,
    referral_id: referral.id,
    type: reward.type,
    amount: reward.amount,
    unit: reward.unit,
    program_version: 1,
    created_at: '2026-11-21T01:00:06.312480Z',
    confirm_due_at: null,
    confirmed_at: '2026-11-21T01:00:06.312480Z',
    ended_at: null,
    corrected: null,
  },
  referral: {
    id: referral.id,
    referrer_member_id: referral.referrer_member_id,
    referee_member_id: referral.referee_member_id,
    code: referral.code,
    source: 'boot',
    flags: [],
    linked_at: referral.linked_at,
    review: 'none',
    reviewed_at: null,
    not_new: false,
  },
  memberListItem: {
    member_id: 'bob',
    referral_code: '7KXW2PMA',
    created_at: '2026-11-20T08:00:00.198334Z',
    referrer_member_id: 'alice',
    referees: 0,
  },
  member: {
    member_id: 'bob',
    referral_code: '7KXW2PMA',
    share_link: 'https://api.example.com/r/7KXW2PMA',
    created_at: '2026-11-20T08:00:00.198Z',
    referrer: {
      member_id: 'alice',
      referral_id: referral.id,
      code: referral.code,
      linked_at: '2026-11-20T08:00:00.251Z',
      review: 'none',
    },
    counts: {
      referees: 0,
      orders: 1,
      rewards: { pending: 0, confirmed: 1, revoked: 0, cancelled: 0 },
    },
  },
  link: {
    id: referral.id,
    referrer_member_id: referral.referrer_member_id,
    referee_member_id: referral.referee_member_id,
    code: referral.code,
    linked_at: '2026-11-20T08:00:00.251Z',
    flags: [],
    review: 'none',
    dry_run: false,
    earlier_orders: { orders: [], totals: [], complete: true },
  },
  boot: {
    user_id: 'user-42',
    verified: true,
    referral_code: '7KXW2PMA',
    share_link: 'https://api.example.com/r/7KXW2PMA',
    referrer_linked: false,
    link: 'no_code',
  },
  webhook: {
    id: delivery.webhook_id,
    url: attempt.url,
    event_types: ['reward.issue', 'reward.revoke'],
    created_at: '2026-11-20T07:55:12.630551Z',
    status: 'active',
    disabled_at: null,
    disabled_reason: null,
    paused_at: null,
    retry_hours: null,
    failing_since: null,
    failures_in_a_row: 0,
  },
  deliveryListItem: delivery,
  delivery: { ...delivery, attempts: [attempt] },
  testResult: {
    delivery_id: delivery.id,
    event_id: 'evt_3XnVk7WqZt5RmYc2Ld8PbG',
    event_type: 'reward.issue',
    delivered: true,
    attempt,
  },
};

/** Values of the parameters of paths. The ids that the service makes are those of the examples. */
export const pathExamples: Record<string, { description: string; example: string }> = {
  order_id: { description: 'Your id of the order, percent-encoded.', example: order.order_id },
  member_id: { description: 'Your id of the member, percent-encoded.', example: event.member_id },
  reward_id: { description: 'The id of the reward.', example: reward.id },
  referral_id: { description: 'The id of the referral.', example: referral.id },
  event_id: { description: 'The id of the event.', example: delivery.event_id },
  webhook_id: { description: 'The id of the webhook.', example: delivery.webhook_id },
  delivery_id: { description: 'The id of the delivery.', example: delivery.id },
  code: { description: 'A referral code, in either letter case.', example: referral.code },
};

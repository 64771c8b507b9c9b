import {
  errorCodes,
  eventTypes,
  idSchema,
  integerSchema,
  nullable,
  objectSchema,
  optionSchema,
  textSchema,
  timeSchema,
} from '@rewardhook/contract';
import type { JsonSchema } from '@rewardhook/contract';
import { checkNames, reasonCodes } from '@rewardhook/rewards';
import { attemptErrors, endpointStatuses, linkOutcomes } from './values.ts';
import { deliveryStates, reviewStates, rewardRoles, rewardStates } from '@rewardhook/database';

/** Reference to a schema of the document. */
export const reference = (
  name: keyof typeof answerSchemas | 'Error' | 'Order' | 'OrderItem',
): JsonSchema => ({
  $ref: `#/components/schemas/${name}`,
});

const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const won = (description: string) => integerSchema(`${description}, in won.`);
const url = (description: string): JsonSchema => ({ type: 'string', format: 'uri', description });
const open = (schema: JsonSchema): JsonSchema => ({ ...schema, additionalProperties: true });

const memberId = textSchema('Your id of the member.');
const code = textSchema('Their referral code.');
const referrerCode = textSchema('The code of the referrer.');
const role = optionSchema(rewardRoles, 'The side of the referral.');
const program = objectSchema(
  { id: idSchema('prg', 'The program.'), version: integerSchema('The version of its rule.', 1) },
  { description: 'A published version of the program.' },
);
const review = optionSchema(reviewStates, 'State of the review; `none`: the referral needs none.');
const flags: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'What was unusual about the link, such as `code_velocity`.',
};

const fromOrderId = nullable(
  textSchema('The order that a person said came from the referrer: only orders from its date on count.'),
);
const allConsidered = flag(
  'False when the referee has more than 1,000 orders, of which the oldest are considered.',
);
const orderRewards = {
  orders: {
    type: 'array',
    maxItems: 20,
    items: objectSchema({
      order_id: textSchema('Your id of the order.'),
      rewards: {
        type: 'array',
        items: objectSchema({
          role: optionSchema(['referee', 'referrer'], 'Who gets it.'),
          member_id: memberId,
          type: optionSchema(['points', 'coupon'], 'What it is.'),
          amount: integerSchema('How many of `unit`.', 1),
          unit: textSchema('Your name for what is counted.'),
        }),
        description: 'What it earns.',
      },
    }),
    description: 'The oldest of them that earn something.',
  },
  totals: {
    type: 'array',
    items: objectSchema({
      unit: textSchema('Your name for what is counted.'),
      amount: integerSchema('What all of them earn.'),
    }),
    description: 'The sums of all of them.',
  },
} satisfies Record<string, JsonSchema>;

const storedItem = open(
  objectSchema(
    {
      product_id: textSchema('Your id of the product.'),
      product_name: textSchema('As sent.'),
      quantity: integerSchema('As sent.', 1),
      price: won('List price'),
      paid_amount: won('Amount paid'),
      sku: textSchema('As sent.'),
      cancelled_at: nullable(textSchema('As sent.')),
    },
    { optional: ['sku', 'cancelled_at'] },
  ),
);

const orderState = {
  order_id: textSchema('Your id of the order.'),
  member_id: memberId,
  order_amount: won('Amount of the order'),
  paid_amount: won('Amount paid'),
  paid_now: won('`paid_amount` without the products that were cancelled'),
  every_product_cancelled: flag('Whether all products are cancelled: the order then counts as cancelled.'),
  shipping_amount: won('Shipping fee'),
  order_date: timeSchema('When it was placed.'),
  first_order: flag('As sent; false also means "not known".'),
  paid_at: nullable(timeSchema('When it was paid.')),
  cancelled_at: nullable(timeSchema('When it was cancelled.')),
  returned_at: nullable(timeSchema('When its return was completed.')),
  currency: textSchema(
    'ISO 4217, or the text that was sent in its place, in upper case. Amounts in a currency other than KRW are in its units, as sent.',
  ),
  created_at: timeSchema('When it was stored first.'),
  updated_at: timeSchema('When its newest state was stored.'),
};

const attempt = objectSchema({
  number: integerSchema('From 1.', 1),
  started_at: timeSchema('When the request was sent.'),
  url: url('Where it was sent to.'),
  status: nullable(integerSchema('The HTTP status; null without a response.')),
  error: nullable(optionSchema(attemptErrors, 'Why there was no response; null if there was one.')),
  error_message: nullable(textSchema('The error in words.')),
  duration_ms: nullable({ type: 'number', description: 'Until the end of the response, in milliseconds.' }),
  response_body: nullable(textSchema('The beginning of the response, at most 16 KiB.')),
  warning: nullable(
    textSchema(
      'What was wrong with the response after its status, such as an incomplete body; null if nothing was.',
    ),
  ),
  retried_on_new_connection: {
    type: 'boolean',
    description:
      'Whether a reused connection broke before a response began, so that the request was sent once more.',
  },
  ignored: {
    type: 'boolean',
    description:
      'Whether the response was a 2xx with `"ignored": true`: your server does not handle the event type.',
  },
});

const delivery = {
  id: uuid('`X-Service-Delivery` of its requests.'),
  state: optionSchema(deliveryStates, 'State of the delivery.'),
  event_id: textSchema('The event.'),
  event_type: textSchema('Type of the event.'),
  webhook_id: textSchema('The webhook.'),
  url: url('The URL of the webhook today.'),
  order_id: nullable(textSchema('Order of the reward; null for other events.')),
  member_id: nullable(textSchema('Member of the reward; null for other events.')),
  attempts_made: integerSchema('Attempts until now.'),
  last_status: nullable(integerSchema('HTTP status of the last attempt.')),
  last_error: nullable(optionSchema(attemptErrors, 'Why the last attempt had no response.')),
  last_attempt_at: nullable(timeSchema('When it was sent last.')),
  created_at: timeSchema('When it was created.'),
  next_attempt_at: nullable(timeSchema('The earliest time of the next attempt.')),
  finished_at: nullable(timeSchema('When it was delivered, exhausted or cancelled.')),
  replay_id: nullable(textSchema('The replay that created it.')),
};

const check = objectSchema({
  check: optionSchema(checkNames, 'What was checked.'),
  value: { type: ['string', 'number', 'boolean', 'null'], description: 'The value that was checked.' },
  threshold: { type: ['string', 'number', 'null'], description: 'What it was compared with.' },
  passed: flag('Whether the check passed.'),
});
const decision = {
  outcome: textSchema(
    'What was decided: `rewarded`, `confirmed`, `adjusted`, `kept`, `withdrawn` or `no_reward`.',
  ),
  reason: optionSchema(reasonCodes, 'The reason code.'),
  checks: { type: 'array', items: check, description: 'Each check with its value.' },
};

/** The schemas of what the API answers with, by name. */
export const answerSchemas = {
  Accepted: objectSchema({ accepted_count: integerSchema('Number of orders accepted.', 1) }),
  OrderListItem: objectSchema({
    ...orderState,
    items_count: integerSchema('Number of its products.'),
    last_reason: nullable(textSchema('Reason code of its newest decision; null without one.')),
  }),
  StoredOrder: objectSchema({
    ...orderState,
    items: { type: 'array', items: storedItem, description: 'Its products.' },
  }),
  Explanation: objectSchema({
    order_id: textSchema('Your id of the order.'),
    member_id: memberId,
    sent_member_id: nullable(
      textSchema(
        'The id that the order was sent with, when that member was merged into `member_id`; else null.',
      ),
    ),
    version: integerSchema('Version of its newest state.'),
    referral: nullable(
      objectSchema(
        {
          id: textSchema('The referral.'),
          referrer_member_id: memberId,
          referee_member_id: memberId,
          linked_at: timeSchema('When they were linked.'),
          review,
        },
        { description: "The member's referral; null without one." },
      ),
    ),
    similar_members: {
      type: 'array',
      description: 'Referred members whose id looks like `member_id`; none if this member was referred.',
      items: memberId,
      maxItems: 3,
    },
    program,
    waits_for_evaluation: flag('Whether a newer state of the order waits for evaluation.'),
    evaluation_failed_since: nullable(
      timeSchema('Since when its evaluation is parked; null when it is not.'),
    ),
    decision: objectSchema(decision, { description: 'The last decision.' }),
    stored_decision: nullable(
      objectSchema(
        {
          number: integerSchema('From 1.', 1),
          decided_at: timeSchema('When it was made.'),
          order_version: integerSchema('The state of the order that was evaluated.'),
          program_version: integerSchema('The version of the program that was applied.', 1),
        },
        { description: '`decision` as it is stored; null if the order was never evaluated.' },
      ),
    ),
    today: objectSchema(
      { ...decision, program },
      { description: 'The decision that the newest state would get now.' },
    ),
    counterfactual: nullable(textSchema('What would have to be different to earn a reward.')),
    counterfactual_parts: nullable(
      objectSchema(
        {
          earns: {
            type: 'array',
            items: objectSchema({
              role,
              type: optionSchema(['points', 'coupon'], 'The kind of the reward.'),
              amount: integerSchema('How many of `unit`.'),
              unit: textSchema('What is counted.'),
            }),
          },
          conditions: {
            type: 'array',
            items: open(objectSchema({ code: textSchema('The condition; the other fields depend on it.') })),
          },
        },
        { description: '`counterfactual` as codes and parameters.' },
      ),
    ),
    timeline: {
      type: 'array',
      description: 'The history of the order, oldest first.',
      items: open(
        objectSchema({
          at: timeSchema('When it happened.'),
          what: textSchema('What happened; the other fields depend on it.'),
        }),
      ),
    },
  }),
  Reward: objectSchema({
    id: idSchema('rwd', 'The reward.'),
    state: optionSchema(rewardStates, 'State of the reward.'),
    role,
    member_id: memberId,
    order_id: textSchema('The order that earned it.'),
    referral_id: textSchema('The referral.'),
    type: optionSchema(['points', 'coupon'], 'The kind of the reward.'),
    amount: integerSchema('How many of `unit`.'),
    unit: textSchema('What is counted: `points`, or the name of a coupon.'),
    program_version: integerSchema('The version of the program that applied.', 1),
    created_at: timeSchema('When it was earned.'),
    confirm_due_at: nullable(timeSchema('When its hold ends.')),
    confirmed_at: nullable(timeSchema('When it was confirmed.')),
    ended_at: nullable(timeSchema('When it was revoked or cancelled.')),
    corrected: nullable(
      optionSchema(['granted', 'adjusted', 'revoked'], 'What a person did; null when only the rule decided.'),
    ),
    issued_member_id: nullable(
      textSchema('The member in its `reward.issue`, when that member was merged since; else null.'),
    ),
  }),
  Referral: objectSchema({
    id: idSchema('ref', 'The referral.'),
    referrer_member_id: memberId,
    referee_member_id: memberId,
    code: referrerCode,
    source: optionSchema(['boot', 'link'], 'The call that linked them.'),
    flags,
    linked_at: timeSchema('When they were linked.'),
    review,
    reviewed_at: nullable(timeSchema('When it was accepted or rejected.')),
    not_new: flag(
      'Whether the referee had a paid order more than 24 hours before they followed the code: it earns nothing.',
    ),
    ended: nullable(
      optionSchema(
        ['merged', 'cycle'],
        'Why it ended when members were merged: the member has another referral, or referred their own referrer. Null while it is live.',
      ),
    ),
    from_order_id: fromOrderId,
    moves: {
      type: 'array',
      maxItems: 20,
      items: objectSchema({
        number: integerSchema('Counts the moves of a referral.', 1),
        from_referrer_member_id: nullable(textSchema('The referrer before; null when there was none.')),
        to_referrer_member_id: textSchema('The referrer since.'),
        from_order_id: nullable(textSchema('The order that the person said came from the referrer.')),
        reason: textSchema('Why, as the person wrote it.'),
        moved_at: timeSchema('When.'),
      }),
      description: 'What people changed, newest first.',
    },
  }),
  MemberListItem: objectSchema({
    member_id: memberId,
    referral_code: code,
    created_at: timeSchema('When the member was stored first.'),
    referrer_member_id: nullable(textSchema('The member who referred them.')),
    referees: integerSchema('Members whom they referred.'),
  }),
  Member: objectSchema({
    member_id: memberId,
    aliases: {
      type: 'array',
      description: 'Ids that mean this member, because they were merged.',
      items: memberId,
    },
    referral_code: nullable(code),
    share_link: nullable(url('Their share link; null without a code or a landing URL.')),
    created_at: nullable(timeSchema('Null for a member who only has orders.')),
    referrer: nullable(
      objectSchema(
        {
          member_id: memberId,
          referral_id: textSchema('The referral.'),
          code: referrerCode,
          linked_at: timeSchema('When they were linked.'),
          review,
          moves: integerSchema('How often people moved the link; the referral has the moves.'),
        },
        { description: 'Who referred them.' },
      ),
    ),
    counts: objectSchema({
      referees: integerSchema('Members whom they referred.'),
      orders: integerSchema('Their orders.'),
      rewards: objectSchema(
        Object.fromEntries(rewardStates.map((state) => [state, integerSchema(`Rewards that are ${state}.`)])),
        { description: 'Rewards that they get, by state.' },
      ),
    }),
  }),
  Merge: objectSchema({
    member_id: memberId,
    merged_member_id: textSchema('The id that means the other member from now on.'),
    orders_moved: integerSchema('Orders that are the surviving member’s now.'),
    referees_moved: integerSchema('Members that the merged one had referred.'),
    referral_id: nullable(textSchema('The referral of the surviving member; null without one.')),
    ended_referral: nullable(
      objectSchema(
        {
          id: textSchema('The referral.'),
          reason: optionSchema(['merged', 'cycle'], 'As `ended` of the referral.'),
        },
        { description: 'The referral that ended; null when none did.' },
      ),
    ),
    rewards_cancelled: integerSchema('Pending rewards of the referral that ended.'),
    rewards_kept: integerSchema('Confirmed rewards of it, which stay.'),
    kept_reward_ids: {
      type: 'array',
      description: 'The first of these rewards.',
      items: idSchema('rwd', 'A reward.'),
      maxItems: 100,
    },
    dry_run: flag('Whether nothing was merged.'),
  }),
  Link: objectSchema({
    id: idSchema('ref', 'The referral.'),
    referrer_member_id: memberId,
    referee_member_id: memberId,
    code: referrerCode,
    linked_at: timeSchema('When they were linked.'),
    flags,
    review,
    dry_run: flag('Whether nothing was linked.'),
    earlier_orders: nullable(
      objectSchema(
        {
          ...orderRewards,
          complete: allConsidered,
        },
        {
          description:
            'What the orders that the referee has already earn because of the link; null when one of them cannot be read.',
        },
      ),
    ),
  }),
  MovedLink: objectSchema({
    id: idSchema('ref', 'The referral.'),
    referrer_member_id: memberId,
    former_referrer_member_id: nullable(textSchema('The referrer before; null when there was none.')),
    referee_member_id: memberId,
    code: referrerCode,
    linked_at: timeSchema(
      'From when on the link counts: when they were linked, or the date of `from_order_id`.',
    ),
    from_order_id: fromOrderId,
    review,
    dry_run: flag('Whether nothing was moved.'),
    withdrawn: nullable(
      objectSchema(
        { rewards: integerSchema('How many rewards.'), ...orderRewards },
        { description: 'What is taken back; null when an order of the referee cannot be read.' },
      ),
    ),
    given: nullable(
      objectSchema(
        { rewards: integerSchema('How many rewards.'), ...orderRewards },
        { description: 'What is given in its place; null when an order of the referee cannot be read.' },
      ),
    ),
    complete: allConsidered,
  }),
  Boot: objectSchema({
    user_id: memberId,
    verified: flag('Whether the call had a valid `user_hash`. Without one, the other fields reveal nothing.'),
    referral_code: nullable(code),
    share_link: nullable(url('Their share link.')),
    referrer_linked: { type: ['boolean', 'null'], description: 'Whether the member has a referrer.' },
    link: optionSchema(linkOutcomes, 'What became of the code of the call.'),
  }),
  Webhook: objectSchema({
    id: textSchema('The webhook, `whk_…`.'),
    url: url('Where its deliveries are sent to.'),
    event_types: { type: 'array', items: { type: 'string' }, description: 'The types that it receives.' },
    created_at: timeSchema('When it was registered.'),
    status: optionSchema(endpointStatuses, 'State of the webhook.'),
    disabled_at: nullable(timeSchema('When it was disabled.')),
    disabled_reason: {
      type: ['object', 'null'],
      description: 'Why it was disabled.',
      properties: {
        code: textSchema('The reason.'),
        parameters: { type: 'object', description: 'What the reason is about.', additionalProperties: true },
      },
    },
    paused_at: nullable(timeSchema('When it was paused.')),
    retry_hours: nullable(
      integerSchema('Hours over which a delivery is retried; null: the usual 75 hours.', 1),
    ),
    failing_since: nullable(timeSchema('Since when every attempt has failed.')),
    failures_in_a_row: integerSchema('Attempts that failed since then.'),
  }),
  DeliveryListItem: objectSchema(delivery),
  Delivery: objectSchema({
    ...delivery,
    attempts: { type: 'array', items: attempt, description: 'Oldest first.' },
  }),
  TestResult: objectSchema({
    delivery_id: uuid('`X-Service-Delivery` of the request.'),
    event_id: textSchema('`id` of the event.'),
    event_type: optionSchema(eventTypes, 'Type of the event.'),
    delivered: flag('Whether your server answered with a 2xx.'),
    attempt,
  }),
} as const satisfies Record<string, JsonSchema>;

/** The body of every error, with one of some codes. */
export const errorSchema = (codes: readonly string[] = errorCodes): JsonSchema =>
  objectSchema(
    {
      code: optionSchema(codes, 'What is wrong, for programs.'),
      message: textSchema('What is wrong, for developers. The text can change.'),
      params: {
        type: 'object',
        description: 'Every invalid field by its path, and what is wrong with it.',
        additionalProperties: { type: 'string' },
      },
      order_ids: {
        type: 'object',
        description: 'The `order_id` of each order that `params` names, by its path.',
        additionalProperties: { type: 'string' },
      },
      request_id: textSchema('`X-Request-Id` of the answer.'),
    },
    { optional: ['params', 'order_ids'] },
  );

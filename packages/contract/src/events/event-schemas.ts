import {
  idSchema,
  integerSchema,
  nullable,
  objectSchema,
  optionSchema,
  schemaOf,
  textSchema,
  timeSchema,
  urlSchema,
} from '../json/json-schema.ts';
import type { Schema, TypeOf } from '../json/json-schema.ts';

/** The reason codes with which a reward that was issued can be revoked. A later release can add codes. */
const revokeReasons = {
  cancelled: 'the order, or each of its products, was cancelled',
  returned: 'the order was returned',
  not_new: 'a paid order of the member from before they followed the code became known',
  not_paid: 'the order was sent again without `paid_at`',
  not_paid_yet: 'the order was sent again with a `paid_at` in the future',
  unsupported_currency: 'the order was sent again in a currency other than won',
  outside_campaign: 'the order, or the link that counts, is not from the period of the rule any more',
  label_excluded:
    'the order was sent again with labels that the rule excludes, or without one that it requires',
  no_eligible_product: 'no product of the order is eligible any more',
  below_minimum: 'the amount paid fell below the minimum of the program, or to nothing besides shipping',
  before_link:
    'the order was sent again with a date from before its member was linked, or the link that counts is a later one',
  outside_window: 'the order was sent again with a date after the eligibility window',
  not_first_order: 'an earlier order of the member counts as the first one',
  member_not_linked: 'the order was sent again with another member',
  referral_rejected: "the member's referral was rejected",
  rule_changed: 'another rule of the program applies to the order now; its reward, if there is one, follows',
  link_moved: 'a person moved the link of the member to another referrer, who may get a reward of their own',
  revoked_by_person: 'a person of the shop took the reward back',
  amount_changed:
    'the amount of the order changed; a `reward.issue` of another reward with the new amount follows',
  nothing_to_give: 'the amount of the reward came to 0',
} as const;

const rewardProperties = {
  reward: objectSchema(
    {
      id: idSchema('rwd', 'The reward. With the event type it is the key under which a grant is stored.'),
      type: optionSchema(['points', 'coupon'], 'The kind of the reward.'),
      amount: integerSchema('How many of `unit`.', 1),
      unit: textSchema("The shop's name for what is counted: `points`, or the name of a coupon."),
      valid_days: integerSchema('Days from the confirmation until it expires. Absent if it does not.', 1),
      expires_at: timeSchema('When you let it expire. Absent if it does not.', 6),
    },
    { description: 'What to grant or take back.', optional: ['valid_days', 'expires_at'] },
  ),
  member_id: textSchema(
    'The member who gets the reward, or from whom it is taken back: `member_id` of their orders.',
  ),
  role: optionSchema(['referee', 'referrer'], 'The side of the referral on which the member is.'),
  referral: objectSchema(
    {
      id: idSchema('ref', 'The referral.'),
      code: textSchema('The code of the referrer.'),
      referrer_member_id: textSchema('The member who referred.'),
      referee_member_id: textSchema('The member who was referred.'),
      linked_at: timeSchema('When the two members were linked.', 6),
    },
    { description: 'Who referred whom.' },
  ),
  order: objectSchema(
    {
      order_id: textSchema('Your id of the order.'),
      order_date: timeSchema('As sent, in UTC.', 6),
      paid_at: nullable(timeSchema('As sent, in UTC; null when the order is not paid.', 6)),
      order_amount: integerSchema('In won.'),
      paid_amount: integerSchema('In won.'),
      shipping_amount: integerSchema('In won.'),
    },
    { description: 'The order for which the reward was earned, in the state that was evaluated.' },
  ),
  program: objectSchema(
    {
      id: idSchema('prg', 'The program.'),
      version: integerSchema('Its version that was applied.', 1),
      rule: nullable(textSchema('The id of the rule of that version; null for a reward that a person gave.')),
    },
    { description: 'The rule under which the reward was earned.' },
  ),
};

const revokedRewardData = objectSchema({
  ...rewardProperties,
  reason: schemaOf<string>({
    type: 'string',
    description: `Why the reward was revoked: ${Object.entries(revokeReasons)
      .map(([code, meaning]) => `\`${code}\` (${meaning})`)
      .join(', ')}. Later releases can add codes.`,
    examples: Object.keys(revokeReasons),
  }),
});

const endpointNoticeData = objectSchema({
  endpoint: objectSchema({
    id: idSchema('whk', 'The webhook that fails.'),
    url: urlSchema('The URL to which its deliveries are sent.'),
  }),
  failing_since: timeSchema('The time since which every attempt has failed.', 3),
  failures_in_a_row: integerSchema('Attempts that failed since then.', 0),
  disabled_at: timeSchema(
    'When the webhook will be disabled if it continues to fail; in `endpoint.disabled`, when it was disabled.',
    3,
  ),
  reason: textSchema('The problem, in one sentence.'),
});

/** The schema of `data` of each event type. */
export const eventDataSchemas = {
  /** A reward is confirmed. The merchant grants it. */
  'reward.issue': objectSchema(rewardProperties),
  /** A reward that was issued is revoked, for example because its order was cancelled. The merchant takes it back. */
  'reward.revoke': revokedRewardData,
  /** A test event. The merchant only answers with 2xx. */
  'webhook.ping': schemaOf<Record<string, never>>({ type: 'object', description: 'Empty.' }),
  /** An endpoint fails. Sent, like the next two, to the other endpoints that are registered for the type. */
  'endpoint.failing': endpointNoticeData,
  'endpoint.disabling_soon': endpointNoticeData,
  'endpoint.disabled': endpointNoticeData,
};

/** The schema of the complete body of an event. */
export function eventSchema<Type extends string, Data>(
  type: Type,
  title: string,
  description: string,
  data: Schema<Data>,
) {
  const body = objectSchema(
    {
      id: idSchema('evt', 'The same in every delivery of this event.'),
      type: schemaOf<Type>({ const: type }),
      test: schemaOf<true>({
        const: true,
        description:
          'Present only in a test event. It stands for nothing that happened: answer it, but grant nothing and take nothing back.',
      }),
      mode: schemaOf<'test'>({
        const: 'test',
        description:
          'Present only in an event of the test side of the merchant. Nothing real happened: grant nothing real.',
      }),
      created_at: timeSchema('When the event was created.', 3),
      data,
    },
    { optional: ['test', 'mode'] },
  );
  const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
  return schemaOf<TypeOf<typeof body>>({ ...dialect, title, description, ...body });
}

import { revokeReasons } from './event.ts';
import {
  idSchema,
  integerSchema,
  nullable,
  objectSchema,
  optionSchema,
  textSchema,
  timeSchema,
} from '../json/json-schema.ts';
import type { JsonSchema } from '../json/json-schema.ts';

const rewardProperties = {
  reward: objectSchema(
    {
      id: idSchema('rwd', 'The reward. With the event type it is the key under which a grant is stored.'),
      type: optionSchema(['points', 'coupon'], 'The kind of the reward.'),
      amount: integerSchema('How many of `unit`.', 1),
      unit: textSchema("The shop's name for what is counted: `points`, or the name of a coupon."),
    },
    { description: 'What to grant or take back.' },
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
      version: integerSchema('The version of its rule that was applied.', 1),
    },
    { description: 'The rule under which the reward was earned.' },
  ),
};

/** The schema of `data` of `reward.issue`. */
export const rewardData = objectSchema(rewardProperties);

/** The schema of `data` of `reward.revoke`. */
export const revokedRewardData = objectSchema({
  ...rewardProperties,
  reason: {
    type: 'string',
    description: `Why the reward was revoked: ${Object.entries(revokeReasons)
      .map(([code, meaning]) => `\`${code}\` (${meaning})`)
      .join(', ')}. Later releases can add codes.`,
    examples: Object.keys(revokeReasons),
  },
});

/** The schema of `data` of `webhook.ping`. */
export const pingData: JsonSchema = { type: 'object', description: 'Empty.' };

/** The schema of `data` of the events about a failing endpoint. */
export const endpointNoticeData = objectSchema({
  endpoint: objectSchema({
    id: idSchema('whk', 'The webhook that fails.'),
    url: { type: 'string', format: 'uri', description: 'The URL to which its deliveries are sent.' },
  }),
  failing_since: timeSchema('The time since which every attempt has failed.', 3),
  failures_in_a_row: integerSchema('Attempts that failed since then.', 0),
  disabled_at: timeSchema(
    'When the webhook will be disabled if it continues to fail; in `endpoint.disabled`, when it was disabled.',
    3,
  ),
  reason: textSchema('The problem, in one sentence.'),
});

/** The schema of the complete body of an event. */
export function eventSchema(type: string, title: string, description: string, data: JsonSchema): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description,
    type: 'object',
    properties: {
      id: idSchema('evt', 'The same in every delivery of this event.'),
      type: { const: type },
      test: {
        const: true,
        description:
          'Present only in a test event. It stands for nothing that happened: answer it, but grant nothing and take nothing back.',
      },
      mode: {
        const: 'test',
        description:
          'Present only in an event of the test side of the merchant. Nothing real happened: grant nothing real.',
      },
      created_at: timeSchema('When the event was created.', 3),
      data,
    },
    required: ['id', 'type', 'created_at', 'data'],
  };
}

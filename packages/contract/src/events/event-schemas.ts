import { revokeReasons } from './event.ts';

/** A JSON Schema (draft 2020-12), as it is published. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Every property is required. Others are allowed, because later releases add fields. */
function object(properties: Record<string, JsonSchema>, description?: string): JsonSchema {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties,
    required: Object.keys(properties),
  };
}

const text = (description: string): JsonSchema => ({ type: 'string', description });
const integer = (description: string, minimum = 0): JsonSchema => ({ type: 'integer', minimum, description });

function id(prefix: string, what: string): JsonSchema {
  return { type: 'string', pattern: `^${prefix}_[0-9A-Za-z]+$`, description: what };
}

/** A date-time in UTC with `digits` digits after the second. */
function utcTime(digits: 3 | 6, description: string): JsonSchema {
  const pattern = `^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{${digits}}Z$`;
  return { type: 'string', format: 'date-time', pattern, description };
}

const rewardProperties = {
  reward: object(
    {
      id: id('rwd', 'The reward. With the event type it is the key under which a grant is stored.'),
      type: { type: 'string', enum: ['points', 'coupon'] },
      amount: integer('How many of `unit`.', 1),
      unit: text("The shop's name for what is counted: `points`, or the name of a coupon."),
    },
    'What to grant or take back.',
  ),
  member_id: text(
    'The member who gets the reward, or from whom it is taken back: `member_id` of their orders.',
  ),
  role: {
    type: 'string',
    enum: ['referee', 'referrer'],
    description: 'The side of the referral on which the member is.',
  },
  referral: object(
    {
      id: id('ref', 'The referral.'),
      code: {
        type: ['string', 'null'],
        description: "The referrer's code that was used; null when the shop's server linked the two members.",
      },
      referrer_member_id: text('The member who referred.'),
      referee_member_id: text('The member who was referred.'),
      linked_at: utcTime(6, 'When the two members were linked.'),
    },
    'Who referred whom.',
  ),
  order: object(
    {
      order_id: text('Your id of the order.'),
      order_date: utcTime(6, 'As sent, in UTC.'),
      paid_at: {
        ...utcTime(6, 'As sent, in UTC; null when the order is not paid.'),
        type: ['string', 'null'],
      },
      order_amount: integer('In won.'),
      paid_amount: integer('In won.'),
      shipping_amount: integer('In won.'),
    },
    'The order for which the reward was earned, in the state that was evaluated.',
  ),
  program: object(
    { id: id('prg', 'The program.'), version: integer('The version of its rule that was applied.', 1) },
    'The rule under which the reward was earned.',
  ),
};

/** The schema of `data` of `reward.issue`. */
export const rewardData = object(rewardProperties);

/** The schema of `data` of `reward.revoke`. */
export const revokedRewardData = object({
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
export const endpointNoticeData = object({
  endpoint: object({
    id: id('whk', 'The webhook that fails.'),
    url: { type: 'string', format: 'uri', description: 'The URL to which its deliveries are sent.' },
  }),
  failing_since: utcTime(3, 'The time since which every attempt has failed.'),
  failures_in_a_row: integer('Attempts that failed since then.', 0),
  disabled_at: utcTime(
    3,
    'When the webhook will be disabled if it continues to fail; in `endpoint.disabled`, when it was disabled.',
  ),
  reason: text('The problem, in one sentence.'),
});

/** The schema of the complete body of an event. */
export function eventSchema(type: string, title: string, description: string, data: JsonSchema): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description,
    type: 'object',
    properties: {
      id: id('evt', 'The same in every delivery of this event.'),
      type: { const: type },
      test: {
        const: true,
        description:
          'Present only in a test event. It stands for nothing that happened: answer it, but grant nothing and take nothing back.',
      },
      created_at: utcTime(3, 'When the event was created.'),
      data,
    },
    required: ['id', 'type', 'created_at', 'data'],
  };
}

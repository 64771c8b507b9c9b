import Joi from 'joi';
import {
  adjustFields,
  bootFields,
  eventCatalogue,
  eventTypes,
  fieldsSchema,
  grantFields,
  linkFields,
  mergeFields,
  moveFields,
  requestLimits,
  revokeFields,
} from '@rewardhook/contract';
import type { AnswerName, ErrorCode, JsonSchema } from '@rewardhook/contract';
import { feedQuery } from '../events/list-events.ts';
import { readRoutes } from '../resources/read-routes.ts';
import { testWebhookFields } from '../webhooks/test-webhook.ts';
import { exampleOrder, examples } from './examples.ts';
import { joiObjectSchema } from './query-parameters.ts';

/** Reference to a schema of the document. */
export const reference = (name: AnswerName | 'Error' | 'Order' | 'OrderItem'): JsonSchema => ({
  $ref: `#/components/schemas/${name}`,
});

/** An answer other than an error in JSON. */
export interface Answer {
  status: number;
  description: string;
  /** The schema of the body; without one there is no body. */
  schema?: JsonSchema;
  /** Default: `application/json`. */
  mediaType?: string;
  example?: unknown;
  /** Names of `components.headers`. */
  headers?: string[];
}

/** A route that merchants call. */
export interface Operation {
  id: string;
  method: 'get' | 'post' | 'options';
  /** With the slash at the end; `{name}` is a parameter. */
  path: string;
  tag: 'Orders' | 'Members' | 'Rewards' | 'Events' | 'Webhooks' | 'Share links' | 'This document';
  summary: string;
  description?: string;
  key: 'secret' | 'public' | 'none';
  query?: Joi.ObjectSchema;
  /** Names of `components.parameters` besides those of every route with a key. */
  headers?: string[];
  body?: { schema: JsonSchema; example: unknown; required: boolean };
  answers: Answer[];
  errors: ErrorCode[];
}

const always: ErrorCode[] = ['internal_error'];
const withSecret: ErrorCode[] = [
  'invalid_request',
  'invalid_api_key',
  'secret_key_required',
  'rate_limited',
  'service_unavailable',
  ...always,
];
const withBody: ErrorCode[] = [...withSecret, 'request_timeout', 'payload_too_large'];

/** `{data: …}`, with more fields beside it. */
const envelope = (data: JsonSchema, more: Record<string, JsonSchema> = {}): JsonSchema => ({
  type: 'object',
  properties: { data, ...more },
  required: ['data'],
});

const page = (name: string, item: JsonSchema, next: JsonSchema): JsonSchema =>
  envelope({
    type: 'object',
    properties: {
      [name]: { type: 'array', items: item },
      next,
      has_more: { type: 'boolean', description: 'Whether there is another page.' },
    },
    required: [name, 'next', 'has_more'],
  });

const nextPage: JsonSchema = {
  type: ['string', 'null'],
  description: '`after` of the next page; null on the last page.',
};

const warnings: Record<string, JsonSchema> = {
  warnings: {
    type: 'object',
    description:
      'What is probably a mistake, by path: unknown fields, up to 20, and a call that changes nothing. The request is accepted.',
    additionalProperties: { type: 'string' },
  },
};
const orderWarnings: Record<string, JsonSchema> = {
  ...warnings,
  order_ids: {
    type: 'object',
    description: 'The `order_id` of each order that `warnings` names, by its path.',
    additionalProperties: { type: 'string' },
  },
};

const anyEvent: JsonSchema = {
  oneOf: eventTypes.map((type) => ({ $ref: `#/components/schemas/${type}` })),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(eventTypes.map((type) => [type, `#/components/schemas/${type}`])),
  },
};

const noQuery = Joi.object({});

type ReadAbout = Pick<Operation, 'id' | 'tag' | 'summary'> & { answer: AnswerName; example: unknown };

/** What the document says about each route of `readRoutes`, by its path below `/api/open`. */
const reads = new Map<string, ReadAbout>(
  Object.entries({
    '/orders': {
      id: 'listOrders',
      tag: 'Orders',
      summary: 'List orders, newest stored first',
      answer: 'OrderListItem',
      example: examples.orderListItem,
    },
    '/orders/{order_id}': {
      id: 'getOrder',
      tag: 'Orders',
      summary: 'Get an order in its newest state',
      answer: 'StoredOrder',
      example: examples.storedOrder,
    },
    '/rewards': {
      id: 'listRewards',
      tag: 'Rewards',
      summary: 'List rewards, newest first',
      answer: 'Reward',
      example: examples.reward,
    },
    '/rewards/{reward_id}': {
      id: 'getReward',
      tag: 'Rewards',
      summary: 'Get a reward',
      answer: 'Reward',
      example: examples.reward,
    },
    '/referrals': {
      id: 'listReferrals',
      tag: 'Members',
      summary: 'List referrals, newest first',
      answer: 'Referral',
      example: examples.referral,
    },
    '/referrals/{referral_id}': {
      id: 'getReferral',
      tag: 'Members',
      summary: 'Get a referral',
      answer: 'Referral',
      example: examples.referral,
    },
    '/members': {
      id: 'listMembers',
      tag: 'Members',
      summary: 'List members, by id',
      answer: 'MemberListItem',
      example: examples.memberListItem,
    },
    '/webhooks': {
      id: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List webhooks, oldest first',
      answer: 'Webhook',
      example: examples.webhook,
    },
    '/webhooks/{webhook_id}': {
      id: 'getWebhook',
      tag: 'Webhooks',
      summary: 'Get a webhook with its state',
      answer: 'Webhook',
      example: examples.webhook,
    },
    '/webhooks/{webhook_id}/deliveries': {
      id: 'listDeliveries',
      tag: 'Webhooks',
      summary: 'List the deliveries to a webhook, newest first',
      answer: 'DeliveryListItem',
      example: examples.deliveryListItem,
    },
    '/deliveries/{delivery_id}': {
      id: 'getDelivery',
      tag: 'Webhooks',
      summary: 'Get a delivery with its newest attempts',
      answer: 'Delivery',
      example: examples.delivery,
    },
  }),
);

const readOperations: Operation[] = readRoutes.map(({ path, list, query }) => {
  const about = reads.get(path);
  if (!about) throw new Error(`the OpenAPI document says nothing about ${path}`);
  const { answer, example, ...operation } = about;
  const one = reference(answer);
  return {
    ...operation,
    method: 'get',
    path: `/api/open${path}/`,
    key: 'secret',
    query,
    answers: [
      list === undefined
        ? { status: 200, description: 'It exists.', schema: envelope(one), example: { data: example } }
        : {
            status: 200,
            description: 'A page of the list.',
            schema: page(list, one, nextPage),
            example: { data: { [list]: [example], next: null, has_more: false } },
          },
    ],
    errors: [...withSecret, ...(path.includes('{') ? (['not_found'] as const) : [])],
  };
});

const get = (
  operation: Pick<Operation, 'id' | 'path' | 'tag' | 'summary' | 'description'> &
    Partial<Pick<Operation, 'query'>>,
  schema: JsonSchema,
  example: unknown,
  errors: ErrorCode[],
): Operation => ({
  query: noQuery,
  ...operation,
  method: 'get',
  key: 'secret',
  answers: [{ status: 200, description: 'It exists.', schema, example }],
  errors: [...withSecret, ...errors],
});

/** Every route that merchants and their customers call. */
export const operations: Operation[] = [
  {
    id: 'syncOrders',
    method: 'post',
    path: '/api/open/orders/sync/',
    tag: 'Orders',
    summary: 'Send orders',
    description:
      'Send an order each time it changes, always with all of its fields: the most recently sent data counts. A 202 ' +
      'means that all orders are stored durably; an error means that none of them is. A request holds at most 1,000 ' +
      'orders, 10,000 products and 2 MiB of JSON, an order at most 1,000 products: split larger ones into several ' +
      'requests.',
    key: 'secret',
    headers: ['ContentEncoding', 'Prefer'],
    body: {
      schema: {
        type: 'object',
        properties: {
          orders: { type: 'array', items: reference('Order'), minItems: 1, maxItems: requestLimits.orders },
        },
        required: ['orders'],
      },
      example: { orders: [exampleOrder] },
      required: true,
    },
    answers: [
      {
        status: 202,
        description: 'All orders are accepted.',
        schema: envelope(reference('Accepted'), orderWarnings),
        example: { data: { accepted_count: 1 } },
        headers: ['PreferenceApplied'],
      },
    ],
    errors: withBody,
  },
  {
    id: 'linkMember',
    method: 'post',
    path: '/api/open/members/link/',
    tag: 'Members',
    summary: 'Link a member to their referrer',
    description:
      'The referrer is given by `referrer_member_id` or by `referral_code`. The first link of your server takes the ' +
      'place of a boot if the referee was not new then.',
    key: 'secret',
    headers: ['ContentEncoding', 'Prefer'],
    body: {
      schema: {
        ...fieldsSchema(linkFields, {
          referrer_member_id: 'Your id of the member who referred. Send this or `referral_code`.',
          referral_code: 'The referral code of the member who referred. Send this or `referrer_member_id`.',
          referee_member_id: 'Your id of the member who was referred.',
          dry_run: 'Whether nothing is linked, and only the answer is computed.',
        }),
        oneOf: [{ required: ['referrer_member_id'] }, { required: ['referral_code'] }],
      },
      example: { referrer_member_id: 'alice', referee_member_id: 'bob' },
      required: true,
    },
    answers: [201, 200].map((status) => ({
      status,
      description: status === 201 ? 'The members are linked now.' : 'The members were linked before.',
      schema: envelope(reference('Link'), warnings),
      example: {
        data: examples.link,
        ...(status === 200 && {
          warnings: { referee_member_id: 'was linked to this referrer before: nothing is changed' },
        }),
      },
      headers: ['PreferenceApplied'],
    })),
    errors: [...withBody, 'already_linked', 'referral_cycle'],
  },
  {
    id: 'mergeMembers',
    method: 'post',
    path: '/api/open/members/merge/',
    tag: 'Members',
    summary: 'Merge or rename a member',
    description:
      'From now on the merged id and its referral code mean the surviving member: in orders, boots and links, for ' +
      'good. Of two referrals the one linked earlier survives; pending rewards of the other are cancelled, confirmed ' +
      'ones stay. A merge into an unused id renames a member. Cannot be undone.',
    key: 'secret',
    headers: ['ContentEncoding', 'IdempotencyKey'],
    body: {
      schema: joiObjectSchema(mergeFields),
      example: {
        from_member_id: 'alice-old',
        into_member_id: 'alice',
        reason: 'The customer had two accounts',
      },
      required: true,
    },
    answers: [
      {
        status: 200,
        description: 'What the merge changed, or would change.',
        schema: envelope(reference('Merge')),
        example: { data: examples.merge },
      },
    ],
    errors: [...withBody, 'not_found', 'orders_due', 'idempotency_key_reused'],
  },
  {
    id: 'bootMember',
    method: 'post',
    path: '/api/open/members/boot/',
    tag: 'Members',
    summary: 'Boot a member, as the browser SDK does',
    description:
      'Links the member to the owner of the referral code, and answers with their own code and share link.',
    key: 'public',
    headers: ['ContentEncoding', 'Origin'],
    body: {
      schema: fieldsSchema(bootFields, {
        user_id: 'Your id of the member: `member_id` of their orders.',
        referral_code: 'The code of the referrer.',
        click_id: 'The click on the share link, from `rh_click` of the landing URL.',
        user_hash:
          'HMAC-SHA256 of `user_id` with the identity secret as the key, in hexadecimal. Required unless you turn that off.',
      }),
      example: {
        user_id: 'user-42',
        user_hash: 'fea9940ec0d614d57a84fa057e2ace10136edc2c2d6a8e05de4a6351e92ccc71',
      },
      required: true,
    },
    answers: [
      {
        status: 200,
        description: 'The member is known now.',
        schema: envelope(reference('Boot')),
        example: { data: examples.boot },
        headers: ['AccessControlAllowOrigin'],
      },
    ],
    errors: [
      'invalid_request',
      'invalid_api_key',
      'public_key_required',
      'origin_not_allowed',
      'request_timeout',
      'payload_too_large',
      'rate_limited',
      'service_unavailable',
      ...always,
    ],
  },
  {
    id: 'preflightBoot',
    method: 'options',
    path: '/api/open/members/boot/',
    tag: 'Members',
    summary: 'The preflight request of a browser',
    key: 'none',
    answers: [
      {
        status: 204,
        description: 'Every origin may send the request; its origin is checked then.',
        headers: ['AccessControlAllowOrigin'],
      },
    ],
    errors: always,
  },
  get(
    {
      id: 'getMember',
      path: '/api/open/members/{member_id}/',
      tag: 'Members',
      summary: 'Get a member with their code, share link, referrer and counts',
    },
    envelope(reference('Member')),
    { data: examples.member },
    ['not_found'],
  ),
  get(
    {
      id: 'explainOrder',
      path: '/api/open/orders/{order_id}/explain/',
      tag: 'Orders',
      summary: 'Explain why an order earned a reward or none',
    },
    envelope(reference('Explanation')),
    { data: examples.explanation },
    ['not_found'],
  ),
  get(
    {
      id: 'listEvents',
      path: '/api/open/events/',
      tag: 'Events',
      summary: 'Read the event feed, oldest first',
      description:
        'The events that webhooks deliver, with the same bytes. A reader that always continues from `next` gets each event exactly once.',
      query: feedQuery,
    },
    page('events', anyEvent, {
      type: 'string',
      description: '`after` of the next page. Unchanged when there is nothing new.',
    }),
    {
      data: { events: [eventCatalogue['reward.issue'].sample], next: 'v1.Yk3sPq', has_more: false },
    },
    ['cursor_expired'],
  ),
  get(
    {
      id: 'getEvent',
      path: '/api/open/events/{event_id}/',
      tag: 'Events',
      summary: 'Get an event, as webhooks deliver it',
    },
    envelope(anyEvent),
    { data: eventCatalogue['reward.issue'].sample },
    ['not_found'],
  ),
  ...readOperations,
  correction({
    id: 'grantReward',
    path: '/api/open/orders/{order_id}/rewards/',
    summary: 'Grant a reward by hand',
    description:
      'A person gives a reward for an order whose member was referred. Its `reward.issue` is sent as usual. No rule ' +
      'changes or withdraws it; caps and the budget count it. `amount` is at most the limit of your shop for rewards ' +
      'by hand.',
    fields: grantFields,
    example: { role: 'referee', amount: 3_000, reason: 'Promised by support' },
    statuses: [201, 200],
    errors: ['member_not_linked', 'reward_exists', 'limit_exceeded', 'revocation_not_notified'],
  }),
  correction({
    id: 'adjustReward',
    path: '/api/open/rewards/{reward_id}/adjust/',
    summary: 'Adjust a reward by hand',
    description:
      'A person gives a live reward another amount, which it keeps whatever its order amounts to. A confirmed one is ' +
      'revoked (`amount_changed`) and issued again under another id, which the response has. `amount` is at most the ' +
      'limit of your shop for rewards by hand, or what the reward has.',
    fields: adjustFields,
    example: { amount: 5_000, reason: 'Agreed with the customer' },
    statuses: [200],
    errors: ['reward_ended', 'limit_exceeded', 'revocation_not_notified'],
  }),
  correction({
    id: 'revokeReward',
    path: '/api/open/rewards/{reward_id}/revoke/',
    summary: 'Revoke a reward by hand',
    description:
      'A person takes a live reward back. No rule gives another one for its order and role, nor, under the first-order ' +
      'rule, for its referral: only a person does.',
    fields: revokeFields,
    example: { reason: 'Fraud' },
    statuses: [200],
    errors: ['reward_ended'],
  }),
  {
    id: 'moveLink',
    method: 'post',
    path: '/api/open/members/move-link/',
    tag: 'Members',
    summary: 'Move the link of a member by hand',
    description:
      'A person gives a referee another referrer, or says which order came from the referrer. The referral keeps its ' +
      'id. What the former referrer got is taken back (`link_moved`); the new one gets what the rules and the limits ' +
      'allow. A referee without a referrer gets one if `from_order_id` is sent.',
    key: 'secret',
    headers: ['ContentEncoding', 'IdempotencyKey'],
    body: {
      schema: {
        ...joiObjectSchema(moveFields),
        oneOf: [{ required: ['referrer_member_id'] }, { required: ['referral_code'] }],
      },
      example: { referee_member_id: 'bob', referrer_member_id: 'carol', reason: 'Wrong code at sign-up' },
      required: true,
    },
    answers: [
      {
        status: 200,
        description: 'The referral as it is now, or as it would be, and what its orders lose and earn.',
        schema: envelope(reference('MovedLink')),
        example: { data: examples.movedLink },
      },
    ],
    errors: [...withBody, 'not_found', 'idempotency_key_reused', 'referral_cycle', 'member_not_linked'],
  },
  {
    id: 'testWebhook',
    method: 'post',
    path: '/api/open/webhooks/{webhook_id}/test/',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description:
      'Sends a sample of an event type at once, signed and marked with `"test": true`, to one webhook in any state, ' +
      'and answers with the attempt. Waits for your server, up to 15 seconds.',
    key: 'secret',
    headers: ['ContentEncoding'],
    body: { schema: joiObjectSchema(testWebhookFields), example: { type: 'reward.issue' }, required: false },
    answers: [
      {
        status: 200,
        description: 'The event was sent; `delivered` says how your server answered.',
        schema: envelope(reference('TestResult')),
        example: { data: examples.testResult },
      },
    ],
    errors: [...withBody, 'not_found'],
  },
  {
    id: 'followShareLink',
    method: 'get',
    path: '/r/{code}',
    tag: 'Share links',
    summary: 'Follow a share link',
    description:
      "Redirects a visitor to the shop's landing URL, with the query of the link, `rh_code` and `rh_click`. What follows the code in the path is ignored.",
    key: 'none',
    answers: [
      { status: 302, description: 'To the landing URL.', headers: ['Location'] },
      {
        status: 404,
        description: 'A page in the language of the visitor, Korean or English: the link leads nowhere.',
        mediaType: 'text/html',
        schema: { type: 'string' },
      },
    ],
    errors: ['rate_limited', 'service_unavailable', ...always],
  },
  {
    id: 'getOpenApiDocument',
    method: 'get',
    path: '/openapi.json',
    tag: 'This document',
    summary: 'Get this document',
    key: 'none',
    answers: [
      {
        status: 200,
        description: 'OpenAPI 3.1.',
        schema: { type: 'object', additionalProperties: true, properties: { openapi: { const: '3.1.1' } } },
        headers: ['ETag'],
      },
      { status: 304, description: 'It is the one of `If-None-Match`.', headers: ['ETag'] },
    ],
    errors: always,
  },
];

/** A correction of rewards by a person. */
function correction({
  id,
  path,
  summary,
  description,
  fields,
  example,
  statuses,
  errors,
}: Pick<Operation, 'id' | 'path' | 'summary' | 'description'> & {
  fields: Joi.ObjectSchema;
  example: object;
  statuses: number[];
  errors: ErrorCode[];
}): Operation {
  return {
    id,
    method: 'post',
    path,
    tag: 'Rewards',
    summary,
    description,
    key: 'secret',
    headers: ['ContentEncoding', 'IdempotencyKey'],
    body: { schema: joiObjectSchema(fields), example, required: true },
    answers: statuses.map((status) => ({
      status,
      description: status === 201 ? 'The reward is given now.' : 'The reward, as it is now.',
      schema: envelope(reference('Reward')),
      example: { data: examples.reward },
    })),
    errors: [...withBody, 'not_found', 'idempotency_key_reused', ...errors],
  };
}

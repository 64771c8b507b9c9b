import {
  answerSchemas,
  errorCodes,
  errorSchema,
  eventCatalogue,
  eventTypes,
  fieldsSchema,
  itemFields,
  orderFields,
  requestLimits,
} from '@rewardhook/contract';
import type { ErrorCode, JsonSchema } from '@rewardhook/contract';
import { checkNames, reasonCodes } from '@rewardhook/rewards';
import { statuses } from '../http/render-error.ts';
import { errorTexts } from './errors.ts';
import { pathExamples } from './examples.ts';
import { operations, reference } from './operations.ts';
import type { Answer, Operation } from './operations.ts';
import { queryParameters } from './query-parameters.ts';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  paths: Record<string, Record<string, OperationObject>>;
  components: { responses: Record<string, object>; [part: string]: object };
  [field: string]: unknown;
}

/** An operation of the document. */
export interface OperationObject {
  operationId: string;
  parameters?: object[];
  requestBody?: { content: Record<string, { example: unknown }> };
  responses: Record<string, object>;
  [field: string]: unknown;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const content = (schema: JsonSchema, more: object = {}, mediaType = 'application/json') => ({
  [mediaType]: { schema, ...more },
});
const header = (description: string, schema: JsonSchema, required = false) => ({
  description,
  ...(required ? { required } : {}),
  schema,
});
const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const seconds: JsonSchema = { type: 'integer', minimum: 1 };

const headers = {
  XRequestId: header('The id of the request. Name it when you ask your operator.', text, true),
  RetryAfter: header('Seconds to wait before the request is sent again.', seconds, true),
  RateLimitPolicy: header('The limits of your key: `q` units within `w` seconds.', text),
  RateLimit: header('What remains (`r`), and the seconds until all is available again (`t`).', text),
  RateLimitLimit: header('`q` of the limit that is closest to being used up.', count),
  RateLimitRemaining: header('`r` of that limit.', count),
  RateLimitReset: header('`t` of that limit.', count),
  PreferenceApplied: header('`handling=strict`, if the request asked for it.', text),
  AccessControlAllowOrigin: header('The origin of the page, so that it can read the answer.', text),
  Location: header('Where the visitor is redirected to.', { type: 'string', format: 'uri' }, true),
  Allow: header('The method that the path has.', text, true),
  ETag: header('A fingerprint of the document, for `If-None-Match`.', text, true),
};

const headerNames: Record<keyof typeof headers, string> = {
  XRequestId: 'X-Request-Id',
  RetryAfter: 'Retry-After',
  RateLimitPolicy: 'RateLimit-Policy',
  RateLimit: 'RateLimit',
  RateLimitLimit: 'RateLimit-Limit',
  RateLimitRemaining: 'RateLimit-Remaining',
  RateLimitReset: 'RateLimit-Reset',
  PreferenceApplied: 'Preference-Applied',
  AccessControlAllowOrigin: 'Access-Control-Allow-Origin',
  Location: 'Location',
  Allow: 'Allow',
  ETag: 'ETag',
};
type HeaderName = keyof typeof headers;
const rateLimitHeaders: HeaderName[] = [
  'RateLimitPolicy',
  'RateLimit',
  'RateLimitLimit',
  'RateLimitRemaining',
  'RateLimitReset',
];

function headersOf(...names: HeaderName[]): object {
  return Object.fromEntries(
    names.map((name) => [headerNames[name], { $ref: `#/components/headers/${name}` }]),
  );
}

const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of your own for this request. It comes back with the webhooks that it causes.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,100}$' },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context.',
    schema: text,
  },
  ContentEncoding: {
    name: 'Content-Encoding',
    in: 'header',
    description: 'How the body is compressed. Limits of size apply to the decompressed body.',
    schema: { type: 'string', enum: ['identity', 'gzip', 'deflate', 'br'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A value of your own for this correction, such as a UUID: repeated with the same key, the request changes nothing and has the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=strict` (RFC 7240): unknown fields, and values that would be ignored, are refused.',
    schema: text,
  },
  Origin: {
    name: 'Origin',
    in: 'header',
    description: 'The origin of the page. Browsers send it.',
    schema: text,
  },
};

const orderSchema = fieldsSchema(
  orderFields,
  {
    order_id: 'Your id of the order.',
    member_id: 'Your id of the member who placed it: the `userId` of the boot call of the SDK.',
    order_amount: 'Amount of the order, in won.',
    paid_amount: 'Amount actually paid, in won.',
    shipping_amount: 'Shipping fee, in won.',
    order_date: 'When it was placed: ISO 8601 with a UTC offset. Not a date that means "never set".',
    first_order: "Whether it is the member's first order. False means that you do not know.",
    paid_at:
      "When it was paid: ISO 8601. Without an offset, your shop's time zone applies. An order counts as paid from 5 " +
      "minutes before it. 1970-01-01, 1900-01-01 and the year 9999 mean 'never set', here and in the other optional " +
      'dates: they count as null.',
    cancelled_at: 'When it was cancelled: ISO 8601.',
    returned_at: 'When its return was completed: ISO 8601.',
    updated_at:
      'When your shop changed the order to this state: ISO 8601 with a UTC offset; without one it is ignored. The ' +
      'state with the latest one is stored, whatever arrives last. Without it, the state has the time of its ' +
      'acceptance.',
    currency:
      'ISO 4217, in any case. Absent, null or KRW is won. An order with another value is stored and earns nothing.',
    labels:
      'What your rules call such orders by, such as `wholesale`: at most 20 texts of 1 to 64 characters, or one text. Letter case does not ' +
      'count. An order that is sent again without labels has none.',
    items: 'The products of the order.',
  },
  { items: { type: 'array', items: reference('OrderItem'), maxItems: requestLimits.productsOfOrder } },
);
const itemSchema = fieldsSchema(itemFields, {
  product_id: 'Your id of the product.',
  product_name: 'Name of the product.',
  quantity: 'How many.',
  price: 'List price of the product, in won.',
  paid_amount: 'Amount actually paid for all pieces of the product, in won.',
  sku: 'SKU.',
  cancelled_at: 'When the product was cancelled: ISO 8601.',
  labels: 'What your rules call such products by, such as `gift-card`: at most 10 texts, or one text.',
});

const messages: Partial<Record<ErrorCode, object>> = {
  invalid_request: { params: { 'orders[0].items[0].quantity': 'must be 1 or more' } },
};

function errorResponse(codes: ErrorCode[], more: HeaderName[] = []): object {
  const examples = codes.map((code) => [
    code,
    {
      value: {
        code,
        message: errorTexts[code],
        ...messages[code],
        request_id: '5f0d8c1e-7c1b-4f6e-9a53-0f4f5a1f2b7d',
      },
    },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTexts[code]}`).join('\n\n'),
    headers: headersOf('XRequestId', ...more),
    content: content(errorSchema(codes), { examples: Object.fromEntries(examples) as object }),
  };
}

/** Headers of an error besides `X-Request-Id`. */
const errorHeaders = (status: number, key: Operation['key']): HeaderName[] => [
  ...(status === 429 || status === 503 ? (['RetryAfter'] as const) : []),
  ...(key === 'secret' && status !== 401 && status !== 408 ? rateLimitHeaders : []),
  ...(key === 'public' ? (['AccessControlAllowOrigin'] as const) : []),
];

/** The error responses of all operations by name; most operations share them. */
const errorResponses: Record<string, object> = {
  NotFound: errorResponse(['not_found']),
  MethodNotAllowed: errorResponse(['method_not_allowed'], ['Allow']),
  // Of a path that is not percent-encoded UTF-8, whatever the method is.
  InvalidPath: errorResponse(['invalid_request']),
};

function errorReference(status: number, codes: ErrorCode[], key: Operation['key']): object {
  const words = [...codes, 'for', key === 'none' ? 'any' : key].join('_or_').replace('_or_for_or_', '_for_');
  const name = words.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (!Object.hasOwn(errorResponses, name))
    errorResponses[name] = errorResponse(codes, errorHeaders(status, key));
  return { $ref: `#/components/responses/${name}` };
}

function responsesOf({ answers, errors, key }: Operation): Record<string, object> {
  const given = answers.map((answer) => [answer.status, answerResponse(answer, key)] as const);
  const byStatus = groupBy(errors, (code) => statuses[code]);
  const failed = [...byStatus].map(
    ([status, codes]) => [status, errorReference(status, codes, key)] as const,
  );
  return Object.fromEntries([...given, ...failed]);
}

function answerResponse(
  { description, schema, mediaType, example, headers: more = [] }: Answer,
  key: Operation['key'],
) {
  const names = ['XRequestId', ...(key === 'secret' ? rateLimitHeaders : []), ...more] as HeaderName[];
  return {
    description,
    headers: headersOf(...names),
    ...(schema ? { content: content(schema, example === undefined ? {} : { example }, mediaType) } : {}),
  };
}

function operationObject(operation: Operation): OperationObject {
  const { id, path, tag, summary, description, key, query, body, headers: more = [] } = operation;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...pathExamples[name],
    schema: { ...text, minLength: 1 },
  }));
  const shared = key === 'none' ? ['RequestId'] : ['RequestId', 'Traceparent', ...more];
  const schemes = { secret: [{ secretKey: [] }], public: [{ publicKey: [] }], none: [] };
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: schemes[key],
    parameters: [
      ...named,
      ...(query ? queryParameters(query) : []),
      ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body
      ? { requestBody: { required: body.required, content: content(body.schema, { example: body.example }) } }
      : {}),
    responses: responsesOf(operation),
  } as OperationObject;
}

const webhookHeaders = [
  ['X-Service-Event', 'The event type, as `type` in the body.', true],
  ['X-Service-Delivery', 'UUID of the delivery, the same in every retry.', true],
  ['X-Service-Attempt', '1, 2, …', true],
  ['X-Service-Signature', '`sha256=` and the lowercase hex HMAC-SHA256 of the raw body.', false],
  ['X-Service-Request-Id', '`X-Request-Id` of the request that caused the event.', false],
  ['traceparent', 'W3C Trace Context.', false],
  ['webhook-id', 'UUID of the delivery (Standard Webhooks).', true],
  ['webhook-timestamp', 'When this attempt was sent, in seconds since 1970.', true],
  ['webhook-signature', '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`.', false],
].map(([name, description, required]) => ({ name, in: 'header', description, required, schema: text }));

const webhooks = Object.fromEntries(
  eventTypes.map((type) => {
    const { title, description, sample } = eventCatalogue[type];
    return [
      type,
      {
        post: {
          operationId: type,
          tags: ['Events'],
          summary: title,
          description,
          security: [],
          parameters: webhookHeaders,
          requestBody: {
            required: true,
            content: content({ $ref: `#/components/schemas/${type}` }, { example: sample }),
          },
          responses: {
            '2XX': { description: 'Received.' },
            '410': { description: 'Disables the webhook.' },
            default: {
              description: 'Anything else, or no answer within 15 seconds: the delivery is retried.',
            },
          },
        },
      },
    ];
  }),
);

const description = `Send orders, and your server is notified by webhook of the referral rewards to grant. The guides are in
the documents of the console.

- Paths are accepted with and without the slash at the end. A path with another method than those below is answered
  405 \`method_not_allowed\`, with \`Allow\`; any other path 404 \`not_found\`.
- A HEAD request is answered as GET is, without the body.
- Request bodies may be compressed (\`Content-Encoding: gzip\`, \`deflate\`, \`br\`); answers are not.
- Later versions can add fields, headers, event types and error codes: ignore what you do not know.`;

/** Builds the document. `apiUrl` is the address of the API, without a slash at the end. */
export function buildOpenApiDocument(apiUrl: string): OpenApiDocument {
  const byPath = groupBy(operations, ({ path }) => path);
  const paths = [...byPath].map(
    ([path, all]) =>
      [path, Object.fromEntries(all.map((one) => [one.method, operationObject(one)]))] as const,
  );
  return {
    openapi: '3.1.1',
    info: { title: 'Rewardhook', version: '1.0.0', description },
    servers: [{ url: apiUrl }],
    tags: [
      { name: 'Orders', description: 'Send orders, and read them back.' },
      { name: 'Members', description: 'Who referred whom.' },
      { name: 'Rewards', description: 'What your orders earned.' },
      { name: 'Events', description: 'What webhooks deliver and the event feed has.' },
      { name: 'Webhooks', description: 'Your URLs, and what was sent to them.' },
      { name: 'Share links', description: 'What visitors follow.' },
      { name: 'This document' },
    ],
    paths: Object.fromEntries(paths),
    webhooks,
    components: {
      securitySchemes: {
        secretKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Key',
          description: 'A secret key (`svc_sk_…`), for your server only.',
        },
        publicKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Key',
          description: 'A public key (`svc_pk_…`), which may be used in a page.',
        },
      },
      headers,
      parameters,
      responses: errorResponses,
      schemas: {
        Order: orderSchema,
        OrderItem: itemSchema,
        Error: errorSchema(errorCodes),
        ...answerSchemas({ checkNames, reasonCodes }),
        ...Object.fromEntries(eventTypes.map((type) => [type, withoutDialect(eventCatalogue[type].schema)])),
      },
    },
  };
}

/** Schemas of OpenAPI 3.1 have the dialect of the document, which is draft 2020-12. */
function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** The address of the API in docs/openapi.json. The console leaves it out. */
export const publishedApiUrl = 'https://api.example.com';

/** The text of docs/openapi.json. `npm run openapi:document` writes it. */
export function publishedDocument(): string {
  return `${JSON.stringify(buildOpenApiDocument(publishedApiUrl), null, 2)}\n`;
}

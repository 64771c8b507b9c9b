import { objectSchema, optionSchema, schemaOf, textSchema } from './json/json-schema.ts';
import type { TypeOf } from './json/json-schema.ts';

/**
 * Every `code` of an error response. The first four are from the contract. On `orders/sync`, `request_timeout`,
 * `payload_too_large` and `rate_limited` can occur too; the others belong to the other paths.
 */
export const errorCodes = [
  'invalid_api_key',
  'secret_key_required',
  'invalid_request',
  'service_unavailable',
  'payload_too_large',
  'rate_limited',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'public_key_required',
  'origin_not_allowed',
  'already_linked',
  'referral_cycle',
  'member_not_linked',
  'reward_exists',
  'reward_ended',
  'limit_exceeded',
  'revocation_not_notified',
  'idempotency_key_reused',
  'orders_due',
  'cursor_expired',
  'internal_error',
] as const;

/** One of {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/**
 * The schema of the body of every error response, with one of some codes. `params` comes with `invalid_request`; `order_ids` when
 * these orders have a valid id.
 */
export const errorSchema = (codes: readonly ErrorCode[] = errorCodes) =>
  objectSchema(
    {
      code: optionSchema(codes, 'What is wrong, for programs.'),
      message: textSchema('What is wrong, for developers. The text can change.'),
      params: schemaOf<Record<string, string>>({
        type: 'object',
        description: 'Every invalid field by its path, and what is wrong with it.',
        additionalProperties: { type: 'string' },
      }),
      order_ids: schemaOf<Record<string, string>>({
        type: 'object',
        description: 'The `order_id` of each order that `params` names, by its path.',
        additionalProperties: { type: 'string' },
      }),
      request_id: textSchema('`X-Request-Id` of the answer.'),
    },
    { optional: ['params', 'order_ids'] },
  );

/** The body of every error response. */
export type ErrorBody = TypeOf<ReturnType<typeof errorSchema>>;

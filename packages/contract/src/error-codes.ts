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
 * The JSON body of every error response. `params` (path of an invalid field → its error) comes with `invalid_request`;
 * `order_ids` (path of an order in `params`, such as `orders[3]` → its `order_id`) when these orders have a valid id.
 */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  params?: Record<string, string>;
  order_ids?: Record<string, string>;
  request_id: string;
}

import type { ErrorCode } from '@rewardhook/contract';

/** When each error occurs, and what to do. docs/errors.md has the same codes; a test compares them. */
export const errorTexts: Record<ErrorCode, string> = {
  invalid_request:
    'A field, parameter or header is invalid. Correct what `params` names, and send the request again.',
  invalid_api_key: 'The key in `X-Service-Key` is missing, unknown or revoked.',
  secret_key_required: 'A public key was sent. Send a secret key (`svc_sk_…`).',
  public_key_required:
    'A secret key was sent. Send a public key (`svc_pk_…`), and revoke the secret key if a page had it.',
  origin_not_allowed: "The page's origin is not among the allowed origins. Add it in the console.",
  not_found: 'There is nothing at this path, or nothing of your shop has this id.',
  method_not_allowed: 'The path has another method, which is in the header `Allow`.',
  request_timeout:
    'The headers or the body of the request did not arrive within 10 seconds each. Send it again.',
  already_linked:
    'The referee has another referrer. The first link of your server is kept, and counts if the referee was not new when they followed a code.',
  referral_cycle: 'The referee has referred the referrer, directly or through others.',
  member_not_linked:
    'The member of the order has no referrer, or was erased: there is nobody to give a reward to.',
  reward_exists:
    'The order has live rewards of the role, which `message` names with their amounts. `another` gives one all the same.',
  reward_ended: 'The reward was revoked or cancelled before.',
  limit_exceeded:
    'A cap or the budget of the program does not allow the reward. `exceed_limits` gives it all the same.',
  revocation_not_notified:
    'A webhook was sent the `reward.issue` of an earlier reward, and is not sent its `reward.revoke`: it would grant twice.',
  idempotency_key_reused: 'The `Idempotency-Key` was used for another request. Use a new one.',
  orders_due:
    'Orders of the members wait for their evaluation, so they cannot be merged yet. Send the request again in a moment.',
  cursor_expired:
    'The event feed cannot be continued from this cursor. Read it without `after`, or with `since`.',
  payload_too_large:
    'The body, decompressed, is larger than the limit that `message` names. Send fewer orders in each request.',
  rate_limited:
    'A limit is reached, and nothing of the request was stored. Send it again after `Retry-After` seconds.',
  internal_error: 'A fault of the service. Send the request again, with exponential backoff.',
  service_unavailable:
    'The service is overloaded, or a server of it is not available. Send the request again after `Retry-After` seconds, with exponential backoff.',
};

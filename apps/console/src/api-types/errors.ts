import type { FieldError, FieldErrorParameters, Limit, LimitParameters } from '@rewardhook/contract';
import type { ConsoleRole } from './session.ts';

/** Every `code` of an error; each has one HTTP status. */
export type ConsoleErrorCode =
  /** 400; `params` and `fields` have the path of each bad field. */
  | 'invalid_request'
  /** 401: there is no session, or it has ended. */
  | 'login_required'
  /** 401: the e-mail or the password is wrong; never which. Also a wrong current password. */
  | 'wrong_credentials'
  /** 403: the role does not allow it. */
  | 'forbidden'
  /** 403: the request came from another site, or lacks the header X-Rewardhook-Console. */
  | 'csrf_refused'
  /** 404 */
  | 'not_found'
  /** 405 */
  | 'method_not_allowed'
  /** 409: the current state does not allow it; `reason` has the details. */
  | 'conflict'
  /**
   * 409: another user has changed it since the caller read it, and nothing was changed. `current` is what is stored
   * now, `changed` names the fields in which it differs from what the caller read.
   */
  | 'version_conflict'
  /** 409: it needs a mail, and the console cannot send any. */
  | 'mail_not_configured'
  /** 409: the header X-Rewardhook-Merchant names another merchant than the session has selected. */
  | 'merchant_changed'
  /** 413 */
  | 'payload_too_large'
  /** 429, with the header Retry-After in seconds. */
  | 'rate_limited'
  /** 500 */
  | 'internal_error'
  /** 503: PostgreSQL or Redis does not answer. */
  | 'service_unavailable';

/** Every reason for which the console refuses a request, with the parameters that its text needs. */
export interface RefusalParameters {
  invalid_request: { fields: number };
  login_required: object;
  wrong_credentials: object;
  role_required: { role: ConsoleRole };
  /** The first use of the test side creates it, which a viewer may not. */
  test_side_missing: object;
  no_merchant: object;
  csrf_refused: object;
  not_found: object;
  method_not_allowed: { allowed: string };
  delivery_not_retryable: object;
  /** The operator has paused what is sent to the merchant. */
  delivery_paused: { contact: string };
  webhook_already_paused: object;
  webhook_not_paused: object;
  webhook_not_disabled: object;
  webhook_without_issue: object;
  webhook_not_signed: object;
  webhook_not_proven: object;
  certification_running: object;
  replay_state: { state: string };
  simulation_running: object;
  referral_not_reviewable: object;
  referrer_unknown: object;
  /** A member of the link is no member. */
  not_a_member: { member: string };
  order_not_of_referee: object;
  link_unchanged: object;
  same_member: object;
  /** Both ids of a merge mean one member. */
  one_member: object;
  already_merged: { member: string };
  merge_too_large: { limit: number };
  orders_due: object;
  referral_cycle: object;
  amount_unchanged: object;
  key_reused: object;
  member_erased: object;
  member_not_linked: object;
  /** Live rewards of the role that the order has: the first ones, their number, and what all have together by unit. */
  reward_exists: {
    rewards: { id: string; amount: number; unit: string }[];
    count: number;
    sums: { unit: string; amount: number }[];
  };
  reward_ended: object;
  referrer_cap_exceeded: { limit: number };
  budget_exceeded: { limit: number };
  /** A webhook granted the earlier reward and would not get its revocation. */
  revocation_not_notified: { webhook: string };
  last_owner: object;
  version_conflict: object;
  mail_not_configured: object;
  merchant_changed: object;
  payload_too_large: { limit: number };
  rate_limited: { seconds: number };
  internal_error: object;
  service_unavailable: object;
  too_many_sign_ins: object;
  page_not_built: object;
}

export type RefusalCode = keyof RefusalParameters;

/** Why a request is refused. */
export type Refusal = {
  [Code in RefusalCode]: { code: Code; parameters: RefusalParameters[Code] };
}[RefusalCode];

/** Every code in an error answer for which a page needs a text, with the parameters of that text. */
export type ReasonParameters = RefusalParameters & LimitParameters & FieldErrorParameters;

export type ReasonCode = keyof ReasonParameters;

/** The body of every error. */
export interface ErrorResponse {
  code: ConsoleErrorCode;
  /** The reason in English. Pages write their own text from `reason`. */
  message: string;
  reason: Refusal | Limit;
  /** The error of each bad field in English, by its path. */
  params?: Record<string, string>;
  /** The same errors as codes. */
  fields?: Record<string, FieldError | Limit>;
  /** Of `version_conflict`: the fields in conflict as they are stored, or the newest version of the program. */
  current?: unknown;
  /** Of `version_conflict`. */
  changed?: string[];
  request_id: string;
}

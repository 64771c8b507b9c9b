import type { ConsoleErrorCode } from '../api-types/error-codes.ts';
import type { ConsoleRole } from '../api-types/session.ts';

interface ExistingRewards {
  /** The first ones. */
  rewards: { id: string; amount: number; unit: string }[];
  count: number;
  /** What all have together. */
  sums: { unit: string; amount: number }[];
}

/** Every reason for which the console rejects a request: its error code, and its English text with the parameters that it needs. */
const rejections = {
  invalid_request: [
    'invalid_request',
    ({ fields }: { fields: number }) =>
      fields === 1 ? 'A field of the request is invalid.' : `${fields} fields of the request are invalid.`,
  ],
  login_required: ['login_required', () => 'Sign in first.'],
  wrong_credentials: ['wrong_credentials', () => 'The e-mail address or the password is wrong.'],
  role_required: [
    'forbidden',
    ({ roles }: { roles: ConsoleRole[] }) => `This requires one of these roles: ${roles.join(', ')}.`,
  ],
  /** The first use of the test side creates it, which not every role may. */
  test_side_missing: [
    'forbidden',
    () => 'The test side of this merchant does not exist yet. A developer or an owner must open it first.',
  ],
  password_required: [
    'password_required',
    () => 'Enter your password first: it was not entered in this session within the last 10 minutes.',
  ],
  no_merchant: ['forbidden', () => 'You no longer belong to any merchant.'],
  csrf_refused: ['csrf_refused', () => 'Only the page of the console can make changes.'],
  not_found: ['not_found', () => 'Not found.'],
  method_not_allowed: ['method_not_allowed', ({ allowed }: { allowed: string }) => `Use ${allowed}.`],
  delivery_not_retryable: [
    'conflict',
    () =>
      'The delivery cannot be retried: its webhook is paused, disabled or deleted, its event is too old, or its member was erased.',
  ],
  nothing_waiting: ['conflict', () => 'No delivery waits for the webhook.'],
  /** The operator has paused what is sent to the merchant. */
  delivery_paused: [
    'conflict',
    ({ contact }: { contact: string }) =>
      `The operator has paused all webhooks of this shop. Contact: ${contact}`,
  ],
  webhook_already_paused: ['conflict', () => 'The webhook is already paused.'],
  webhook_not_paused: ['conflict', () => 'The webhook is not paused.'],
  webhook_not_disabled: ['conflict', () => 'The webhook is not disabled.'],
  webhook_without_issue: ['conflict', () => 'The webhook is not registered for reward.issue.'],
  webhook_not_signed: [
    'conflict',
    () => 'The shop has no signing key, so nothing can be signed. The operator can create one.',
  ],
  webhook_not_proven: [
    'conflict',
    () => 'Send a test event first: the URL of the webhook must have answered 2xx before it is checked.',
  ],
  certification_running: ['conflict', () => 'A receiver is being checked already. Wait for the report.'],
  replay_state: [
    'conflict',
    ({ state }: { state: string }) => `This is not possible: the replay is ${state}.`,
  ],
  simulation_running: ['conflict', () => 'A simulation is already running. Wait for it to end.'],
  referral_not_reviewable: [
    'conflict',
    () => 'The referral does not need a review, or it was already reviewed.',
  ],
  referrer_unknown: ['conflict', () => 'No member has this id or this referral code.'],
  /** A member of the link is no member. */
  not_a_member: [
    'conflict',
    ({ member }: { member: string }) => `${member} is a placeholder, not the id of a member.`,
  ],
  order_not_of_referee: ['conflict', () => 'The referee has no order with this id.'],
  link_unchanged: ['conflict', () => 'The referral has this referrer.'],
  /** Both ids of a merge mean one member. */
  one_member: ['conflict', () => 'Both ids mean the same member.'],
  already_merged: [
    'conflict',
    ({ member }: { member: string }) => `The member was merged before, into ${member}.`,
  ],
  merge_too_large: [
    'conflict',
    ({ limit }: { limit: number }) =>
      `The member has more than ${limit} orders, referees or rewards. Merge in the other direction.`,
  ],
  orders_due: ['conflict', () => 'Orders of the members wait for their evaluation. Try again in a moment.'],
  same_member: ['conflict', () => 'A member cannot refer themselves.'],
  referral_cycle: [
    'conflict',
    () =>
      'The referee has referred this member, directly or through others: referrals must not form a cycle.',
  ],
  amount_unchanged: ['conflict', () => 'The reward has this amount.'],
  key_reused: ['conflict', () => 'The key was used for another correction.'],
  member_erased: ['conflict', () => 'The member who would get the reward was erased.'],
  member_not_linked: ['conflict', () => 'The member of the order has no referrer.'],
  /** Live rewards of the role that the order has. */
  reward_exists: [
    'conflict',
    ({ count }: ExistingRewards) => `The order has live rewards of this role: ${count}.`,
  ],
  reward_ended: ['conflict', () => 'The reward was revoked or cancelled before.'],
  referrer_cap_exceeded: [
    'conflict',
    ({ limit }: { limit: number }) => `The referrer has as many rewards as the program allows: ${limit}.`,
  ],
  budget_exceeded: [
    'conflict',
    ({ limit }: { limit: number }) => `The reward does not fit into the budget, of which ${limit} is left.`,
  ],
  /** A webhook granted the earlier reward and would not get its revocation. */
  revocation_not_notified: [
    'conflict',
    ({ webhook }: { webhook: string }) =>
      `The webhook ${webhook} was sent the earlier reward and is not sent its revocation: it would grant twice.`,
  ],
  last_owner: ['conflict', () => 'A merchant needs at least one owner. Make another member an owner first.'],
  version_conflict: [
    'version_conflict',
    () => 'Another user has changed this in the meantime. Nothing was changed.',
  ],
  mail_not_configured: [
    'mail_not_configured',
    () =>
      'This is not available until the operator configures mail (SMTP_URL). Until then the operator can create a link.',
  ],
  merchant_changed: [
    'merchant_changed',
    () => 'Another merchant was selected in this session. Nothing was changed.',
  ],
  payload_too_large: [
    'payload_too_large',
    ({ limit }: { limit: number }) => `The body must not be larger than ${limit} bytes.`,
  ],
  rate_limited: [
    'rate_limited',
    ({ seconds }: { seconds: number }) => `Too many requests. Try again in ${seconds} s.`,
  ],
  internal_error: ['internal_error', () => 'An internal error occurred.'],
  service_unavailable: [
    'service_unavailable',
    () => 'The service is temporarily unavailable. Try again in a moment.',
  ],
  too_many_sign_ins: ['service_unavailable', () => 'Too many sign-ins at the moment. Try again.'],
  page_not_built: ['service_unavailable', () => 'The page is not built: run npm run build.'],
} satisfies Record<string, [ConsoleErrorCode, (parameters: never) => string]>;

type Rejections = typeof rejections;

export type RejectionCode = keyof Rejections;

/** The codes of the reasons that need no parameters. */
export type PlainRejectionCode = {
  [Code in RejectionCode]: Parameters<Rejections[Code][1]> extends [] ? Code : never;
}[RejectionCode];

/** The parameters of each reason, which the texts of the page need as well. */
export type RejectionParameters = {
  [Code in RejectionCode]: Parameters<Rejections[Code][1]> extends [infer Given] ? Given : object;
};

/** Why a request is rejected. */
export type RejectionReason = {
  [Code in RejectionCode]: { code: Code; parameters: RejectionParameters[Code] };
}[RejectionCode];

/** The error code of a reason. */
export const errorCodeOf = ({ code }: RejectionReason): ConsoleErrorCode => rejections[code][0];

/** Writes a reason in English. */
export function describeRejection({ code, parameters }: RejectionReason): string {
  const [, text] = rejections[code];
  return (text as (parameters: object) => string)(parameters);
}

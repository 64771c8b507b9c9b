import type { DateTime } from './answer.ts';

/** `owner`: everything. `developer`: all but team and merchant. `viewer`: reads, but no secrets. */
export type ConsoleRole = 'owner' | 'developer' | 'viewer';

export interface MerchantRef {
  id: string;
  name: string;
}

/** GET /session; also what sign-in and a change of merchant answer. */
export interface SessionView {
  user: { id: string; email: string };
  role: ConsoleRole;
  merchant: MerchantRef & { timezone: string; contact_email: string | null };
  /** Where the merchant's API answers; null when the operator has not said so. */
  api_url: string | null;
  /** All that the user belongs to. */
  merchants: (MerchantRef & { role: ConsoleRole })[];
}

/** POST /sign-up → 201 `SignUpAnswer`. The password has 12 to 256 characters. */
export interface SignUpRequest {
  email: string;
  password: string;
  merchant_name: string;
  /** IANA name; default Asia/Seoul. */
  timezone?: string;
}

export interface SignUpAnswer {
  session: SessionView;
  /** Shown this once. */
  secret_key: string;
  public_key: string;
}

/** POST /sign-in → `SessionView`. POST /sign-out → 204, also without a session. */
export interface SignInRequest {
  email: string;
  password: string;
}

/** POST /session/merchant → `SessionView`: look at another merchant of the user. */
export interface ChooseMerchantRequest {
  merchant_id: string;
}

/** POST /password → 204; all other sessions of the user end. */
export interface ChangePasswordRequest {
  current_password: string;
  new_password: string;
}

/** GET /password-resets/:token: whose password the operator's link sets. */
export interface OpenPasswordReset {
  email: string;
  expires_at: DateTime;
}

/** POST /password-resets/:token → 204, once; all sessions of the user end. */
export interface ResetPasswordRequest {
  password: string;
}

/** PATCH /merchant (owner) → `SessionView['merchant']`. */
export interface ChangeMerchantRequest {
  name?: string;
  timezone?: string;
  /** Where notices about failing webhooks are mailed to. */
  contact_email?: string | null;
  /** The fields as the caller saw them. What is wanted as it was is left as it is by now. */
  base?: Omit<ChangeMerchantRequest, 'base'>;
}

import type { DateTime } from './response.ts';

/** `owner`: everything. `developer`: all but team, merchant, and replacing the identity secret. `viewer`: reads, but no secrets. */
export type ConsoleRole = 'owner' | 'developer' | 'viewer';

export interface MerchantRef {
  id: string;
  name: string;
}

/** A pause by the operator: since when requests of the shop are refused, and since when nothing is sent to it. */
export interface PauseView {
  ingest_since: DateTime | null;
  delivery_since: DateTime | null;
  /** Where to ask, such as an email address. */
  contact: string;
}

/** GET /session; also the response to a sign-in and to a change of the merchant. */
export interface SessionView {
  user: { id: string; email: string };
  role: ConsoleRole;
  merchant: MerchantRef & {
    timezone: string;
    /** The highest amount of a reward that a person gives or adjusts. */
    manual_reward_limit: number;
    /** The confirmed address that notices are mailed to. */
    contact_email: string | null;
    /** A new address whose link has not been opened yet. */
    contact_email_pending: string | null;
    /** What the operator has paused, on both sides; null when nothing is. */
    pause: PauseView | null;
    /** The number of open problems of the live side; the test side has none. */
    open_problems: number;
  };
  /** The URL of the API; null if the operator has not configured it. */
  api_url: string | null;
  /** All merchants of the user. */
  merchants: (MerchantRef & { role: ConsoleRole })[];
}

/**
 * POST /sign-up → 202 `MailSentResponse`, the same whether the e-mail has an account or not; 409 `mail_not_configured`
 * where mail is not configured.
 */
export interface SignUpRequest {
  email: string;
}

/** The address that a mail is sent to, if the address needs one. */
export interface MailSentResponse {
  mailed_to: string;
}

/** GET /sign-ups/:token: the address that the link in the mail verifies. */
export interface PendingSignUp {
  email: string;
  expires_at: DateTime;
}

/** POST /merchants → 201 `SignUpResponse`: another merchant of the signed-in user. */
export interface NewMerchantRequest {
  merchant_name: string;
  /** IANA name; default Asia/Seoul. */
  timezone?: string;
}

/** POST /sign-ups/:token → 201 `SignUpResponse`, once. The password has 12 to 256 characters and is hard to guess. */
export interface CompleteSignUpRequest extends NewMerchantRequest {
  password: string;
}

export interface SignUpResponse {
  session: SessionView;
  /** Keys of the test side. The live side has no secret key yet. */
  first_keys: {
    /** Returned only here. */
    secret_key: string;
    public_key: string;
    signing_secret: string;
  };
}

/** POST /sign-in → `SessionView`. POST /sign-out → 204, also without a session. */
export interface SignInRequest {
  email: string;
  password: string;
}

/** POST /session/merchant → `SessionView`: selects another merchant of the user. */
export interface ChooseMerchantRequest {
  merchant_id: string;
}

/** POST /password → 204; all other sessions of the user end. */
export interface ChangePasswordRequest {
  current_password: string;
  new_password: string;
}

/** POST /password-resets → 202 `MailSentResponse`, the same whether the e-mail has an account or not. */
export interface ForgottenPasswordRequest {
  email: string;
}

/** GET /password-resets/:token: the account whose password the link sets. */
export interface PendingPasswordReset {
  email: string;
  expires_at: DateTime;
}

/** POST /password-resets/:token → 204, once; all sessions of the user end. */
export interface ResetPasswordRequest {
  password: string;
}

/**
 * PATCH /merchant (owner) → `SessionView['merchant']`. POST /merchant/contact-confirmation (owner) → 202 `MailSentResponse`
 * mails the link for the pending contact address again.
 */
export interface ChangeMerchantRequest {
  name?: string;
  timezone?: string;
  /** 1 or more. */
  manual_reward_limit?: number;
  /** The address for notices about failing webhooks; pending until it is confirmed. */
  contact_email?: string | null;
  /** The fields as the caller has read them. A field that is equal to its `base` keeps its stored value. */
  base?: Omit<ChangeMerchantRequest, 'base'>;
}

/** GET /contact-confirmations/:token; POST → 204, and notices go to the address. */
export interface PendingContactConfirmation {
  email: string;
  merchant: Pick<MerchantRef, 'name'>;
  expires_at: DateTime;
}

import type { DateTime } from './response.ts';

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
  merchant: MerchantRef & {
    timezone: string;
    /** Where notices are mailed to: confirmed by who reads there. */
    contact_email: string | null;
    /** One that was entered, and waits until the link in the mail is opened. */
    contact_email_pending: string | null;
  };
  /** Where the merchant's API answers; null when the operator has not said so. */
  api_url: string | null;
  /** All that the user belongs to. */
  merchants: (MerchantRef & { role: ConsoleRole })[];
}

/**
 * POST /sign-up → 202 `MailSentResponse`, the same whether the e-mail has an account or not; 409 `mail_not_configured`
 * where the console can send no mail.
 */
export interface SignUpRequest {
  email: string;
}

/** A mail is on its way, if there is something to say to this address. */
export interface MailSentResponse {
  mailed_to: string;
}

/** GET /sign-ups/:token: whose address the link in the mail verifies. */
export interface PendingSignUp {
  email: string;
  expires_at: DateTime;
}

/** POST /merchants → 201 `SignUpResponse`: one more merchant of who is signed in. */
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

/** POST /password-resets → 202 `MailSentResponse`, the same whether the e-mail has an account or not. */
export interface ForgottenPasswordRequest {
  email: string;
}

/** GET /password-resets/:token: whose password the link sets. */
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
 * mails the link for the pending contact address once more.
 */
export interface ChangeMerchantRequest {
  name?: string;
  timezone?: string;
  /** Where notices about failing webhooks are to be mailed; pending until it is confirmed. */
  contact_email?: string | null;
  /** The fields as the caller saw them. What is wanted as it was is left as it is by now. */
  base?: Omit<ChangeMerchantRequest, 'base'>;
}

/** GET /contact-confirmations/:token; POST → 204, and notices go to the address. */
export interface PendingContactConfirmation {
  email: string;
  merchant: Pick<MerchantRef, 'name'>;
  expires_at: DateTime;
}

import type { TeamRole } from '@rewardhook/contract/rights';
import type { DateTime } from './response.ts';

export type ConsoleRole = TeamRole;

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

/** The signed-in user, and the merchant that they have selected. */
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

/** The address that a mail is sent to, if it needs one; the answer is the same when it does not. */
export interface MailSentResponse {
  mailed_to: string;
}

/** The address that the link in a mail verifies. */
export interface PendingAddress {
  email: string;
  expires_at: DateTime;
}

export interface NewMerchantRequest {
  merchant_name: string;
  /** IANA name; default Asia/Seoul. */
  timezone?: string;
}

export interface CompleteSignUpRequest extends NewMerchantRequest {
  /** 12 to 256 characters, and hard to guess. */
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

export interface SignInRequest {
  email: string;
  password: string;
}

export interface ChangePasswordRequest {
  current_password: string;
  new_password: string;
}

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

/** The address that notices of a merchant go to once its link is confirmed. */
export interface PendingContactConfirmation extends PendingAddress {
  merchant: Pick<MerchantRef, 'name'>;
}

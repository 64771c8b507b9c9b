/** ISO 8601 in UTC, `2026-11-21T03:51:23.123Z`; with up to six digits of the second. */
export type DateTime = string;

/** The body of every success, but of 204 (no body) and of the CSV. */
export interface Data<T> {
  data: T;
}

/** A part of a list. `next` goes into `?after=` for what follows; null at the end. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

/** Every `code` of an error, with its HTTP status. */
export type ConsoleErrorCode =
  /** 400; `params` maps the path of each bad field to what is wrong with it. */
  | 'invalid_request'
  /** 401: no session, or it has ended. */
  | 'login_required'
  /** 401: e-mail or password is wrong; never which. Also a wrong current password. */
  | 'wrong_credentials'
  /** 403: the role does not allow it. */
  | 'forbidden'
  /** 403: another site asked, or the header X-Rewardhook-Console is missing. */
  | 'csrf_refused'
  /** 404 */
  | 'not_found'
  /** 405 */
  | 'method_not_allowed'
  /** 409: the present state does not allow it, `message` says why. */
  | 'conflict'
  /**
   * 409: somebody else has changed it since the caller read it, and nothing was changed. `current` is what is stored
   * now, `changed` names the fields in which it differs from what the caller saw.
   */
  | 'version_conflict'
  /** 409: it takes a mail, and the console can send none. */
  | 'mail_not_configured'
  /** 409: the header X-Rewardhook-Merchant names another merchant than the session is at by now. */
  | 'merchant_changed'
  /** 413 */
  | 'payload_too_large'
  /** 429, with the header Retry-After in seconds. */
  | 'rate_limited'
  /** 500 */
  | 'internal_error'
  /** 503: PostgreSQL or Redis does not answer. */
  | 'service_unavailable';

/** The body of every error. */
export interface ErrorResponse {
  code: ConsoleErrorCode;
  /** A sentence in English; pages show their own by `code` where they have one. */
  message: string;
  params?: Record<string, string>;
  /** Of `version_conflict`: the fields in conflict as they are stored, or the newest version of the program. */
  current?: unknown;
  /** Of `version_conflict`. */
  changed?: string[];
  request_id: string;
}

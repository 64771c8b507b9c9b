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
  /** 403: it shows a secret, and the password was not entered in this session within the last 10 minutes. */
  | 'password_required'
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

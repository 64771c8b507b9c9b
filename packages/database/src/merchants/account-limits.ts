/** Thrown when a limit of a merchant or user would be exceeded. Nothing was changed. */
export class LimitReached extends Error {
  /** The field of the request that it is about. */
  readonly field: string | undefined;
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, about: { field?: string; retryAfterSeconds?: number } = {}) {
    super(message);
    this.field = about.field;
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

/** The limits of each merchant or user. docs/operations.md lists them. */
export const accountLimits = {
  /** Keys of one merchant that are not revoked. */
  apiKeys: 50,
  /** Invitations of one merchant that are neither accepted, revoked nor expired. */
  openInvitations: 30,
  /** Invitations of one merchant within 24 hours, in whatever state: each is a mail. */
  invitationsPerDay: 30,
  /** Users of one merchant. */
  teamSize: 100,
  /** Merchants of one user. */
  merchantsPerUser: 20,
  /** Sessions of one user; a new one ends the one that has been unused longest. */
  sessionsPerUser: 20,
};

const messages: Record<Exclude<keyof typeof accountLimits, 'sessionsPerUser'>, (most: number) => string> = {
  apiKeys: (most) => `A merchant has at most ${most} API keys that are not revoked. Revoke one first.`,
  openInvitations: (most) =>
    `A merchant has at most ${most} open invitations. Revoke one, or wait until one is accepted.`,
  invitationsPerDay: (most) => `A merchant sends at most ${most} invitations in 24 hours. Try again later.`,
  teamSize: (most) => `A team has at most ${most} members. Remove one first.`,
  merchantsPerUser: (most) => `A user belongs to at most ${most} merchants.`,
};

/** The error for an account limit; its message names the limit. */
export function accountLimitReached(limit: keyof typeof messages): LimitReached {
  return new LimitReached(messages[limit](accountLimits[limit]));
}

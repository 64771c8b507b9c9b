import { describeLimit } from '@rewardhook/contract';
import type { Limit, LimitCode } from '@rewardhook/contract';

/** Thrown when a limit of a merchant or user would be exceeded. Nothing was changed. */
export class LimitReached extends Error {
  readonly limit: Limit;
  /** The field of the request that the limit is about. */
  readonly field: string | undefined;
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(limit: Limit, about: { field?: string; retryAfterSeconds?: number } = {}) {
    super(describeLimit(limit));
    this.limit = limit;
    this.field = about.field;
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

/** The limits of each merchant or user. docs/operations/act.md#the-console lists them. */
export const accountLimits = {
  /** Keys of one merchant that are not revoked. */
  apiKeys: 50,
  /** Invitations of one merchant that are neither accepted, revoked nor expired. */
  openInvitations: 30,
  /** Invitations of one merchant within 24 hours, in any state: each is a mail. */
  invitationsPerDay: 30,
  /** Users of one merchant. */
  teamSize: 100,
  /** Merchants of one user. */
  merchantsPerUser: 20,
  /** Sessions of one user; a new one ends the one that has been unused longest. */
  sessionsPerUser: 20,
};

const codes = {
  apiKeys: 'api_keys',
  openInvitations: 'open_invitations',
  invitationsPerDay: 'invitations_per_day',
  teamSize: 'team_members',
  merchantsPerUser: 'merchants_per_user',
} as const satisfies Partial<Record<keyof typeof accountLimits, LimitCode>>;

/** The error for an account limit. */
export function accountLimitReached(limit: keyof typeof codes): LimitReached {
  return new LimitReached({ code: codes[limit], parameters: { limit: accountLimits[limit] } });
}

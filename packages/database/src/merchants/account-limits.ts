import { LimitReached } from '../client/limit-reached.ts';

/** What each merchant or user may have at most. docs/operations.md lists these. */
export const accountLimits = {
  /** Of one merchant, not revoked. */
  apiKeys: 50,
  /** Of one merchant, neither accepted, revoked nor expired. */
  openInvitations: 30,
  /** Of one merchant within 24 hours, whatever became of them: each is a mail. */
  invitationsPerDay: 30,
  /** Of one merchant. */
  teamSize: 100,
  /** That one user belongs to. */
  merchantsPerUser: 20,
  /** Of one user; a new one ends the one that has been unused longest. */
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

/** The refusal to exceed an account limit; its message names it. */
export function accountLimitReached(limit: keyof typeof messages): LimitReached {
  return new LimitReached(messages[limit](accountLimits[limit]));
}

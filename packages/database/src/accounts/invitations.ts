import { accountLimitReached, accountLimits } from '../merchants/account-limits.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { lockMerchant } from '../merchants/merchants.ts';
import { insertAccountMail } from './account-mails.ts';
import { newLinkToken } from './link-token.ts';
import { addMembership } from './memberships.ts';
import { insertUser } from './users.ts';
import type { NewUser } from './users.ts';

export interface InvitationRow {
  id: string;
  email: string;
  role: string;
  created_at: string;
  expires_at: string;
}

export interface NewInvitation {
  merchantId: string;
  id: string;
  /** In lower case. */
  email: string;
  role: string;
  /** SHA-256 of the token in its link. */
  tokenSha256: Uint8Array;
}

/** Days that an invitation can be accepted. */
export const invitationDays = 7;

/**
 * Invites somebody; an earlier invitation of the same e-mail to the merchant ends. With `mail` the link is mailed to
 * them, and nobody else sees it; without, the caller has it.
 * @throws LimitReached when the merchant has, or has sent, as many as it may, or its team is complete
 */
export function insertInvitation(
  database: Database,
  invitation: NewInvitation,
  { mail }: { mail: boolean },
): Promise<InvitationRow> {
  const { merchantId, id, email, role, tokenSha256 } = invitation;
  return transact(database, async (tx) => {
    await lockMerchant(tx, merchantId);
    await tx.execute(
      `UPDATE invitations SET revoked_at = now()
      WHERE merchant_id = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL`,
      [merchantId, email],
    );
    await requireRoomForInvitation(tx, merchantId);
    const [row] = await tx.query<InvitationRow>(
      `INSERT INTO invitations (merchant_id, id, email, role, token_sha256, expires_at)
      VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6::int))
      RETURNING id, email, role, rules.iso_utc(created_at) AS created_at, rules.iso_utc(expires_at) AS expires_at`,
      [merchantId, id, email, role, tokenSha256, invitationDays],
    );
    if (mail)
      await insertAccountMail(tx, { kind: 'invitation', recipient: email, merchantId, subjectId: id });
    return row as InvitationRow;
  });
}

async function requireRoomForInvitation(tx: Queryable, merchantId: string): Promise<void> {
  const [count] = await tx.query<{ open: number; today: number; team: number }>(
    `SELECT count(*) FILTER (WHERE accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now())::int AS open,
      count(*) FILTER (WHERE created_at > now() - interval '1 day')::int AS today,
      (SELECT count(*) FROM memberships WHERE merchant_id = $1)::int AS team
    FROM invitations WHERE merchant_id = $1`,
    [merchantId],
  );
  const { open = 0, today = 0, team = 0 } = count ?? {};
  if (team >= accountLimits.teamSize) throw accountLimitReached('teamSize');
  if (open >= accountLimits.openInvitations) throw accountLimitReached('openInvitations');
  if (today >= accountLimits.invitationsPerDay) throw accountLimitReached('invitationsPerDay');
}

/** What the mail of an invitation says; its link is new, and one made before ends. */
export interface InvitationLink {
  path: string;
  role: string;
  merchantName: string;
}

/** Makes the link of an invitation that can still be accepted; undefined when it cannot. */
export async function renewInvitationLink(
  database: Database,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<InvitationLink | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  const [opened] = await database.query<{ role: string; merchantName: string }>(
    `UPDATE invitations i SET token_sha256 = $1 FROM merchants m
    WHERE i.merchant_id = $2 AND i.id = $3 AND m.id = i.merchant_id
      AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()
    RETURNING i.role, m.name AS "merchantName"`,
    [tokenSha256, merchantId, id],
  );
  return opened && { path: `/invitations/${token}`, ...opened };
}

/** The invitations of a merchant that can still be accepted, newest first. */
export function listInvitations(database: Database, merchantId: string): Promise<InvitationRow[]> {
  return database.query(
    `SELECT id, email, role, rules.iso_utc(created_at) AS created_at, rules.iso_utc(expires_at) AS expires_at
    FROM invitations
    WHERE merchant_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()
    ORDER BY invitations.created_at DESC, id`,
    [merchantId],
  );
}

/** Ends an invitation. False when the merchant has no such open one. */
export async function revokeInvitation(database: Database, merchantId: string, id: string): Promise<boolean> {
  const { count } = await database.invitation.updateMany({
    where: { merchantId, id, acceptedAt: null, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count === 1;
}

/** An invitation as its link shows it. */
export interface OpenInvitationRow extends InvitationRow {
  merchantId: string;
  merchantName: string;
}

/** The invitation with this token, as long as it can be accepted. */
export async function findInvitation(
  database: Queryable,
  tokenSha256: Uint8Array,
): Promise<OpenInvitationRow | undefined> {
  const [found] = await database.query<OpenInvitationRow>(
    `SELECT i.id, i.email, i.role, rules.iso_utc(i.created_at) AS created_at, rules.iso_utc(i.expires_at) AS expires_at,
      i.merchant_id AS "merchantId", m.name AS "merchantName"
    FROM invitations i JOIN merchants m ON m.id = i.merchant_id
    WHERE i.token_sha256 = $1 AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()`,
    [tokenSha256],
  );
  return found;
}

/**
 * Accepts an invitation, once: adds the user to the merchant's team, and creates the user where they are new. False
 * when it cannot be accepted any more.
 * @throws LimitReached when the team, or the user's list of merchants, is as long as it may be
 * @throws when the e-mail of a new user is taken, see `isEmailTaken`
 */
export function acceptInvitation(
  database: Database,
  tokenSha256: Uint8Array,
  { userId, newUser }: { userId: string; newUser: NewUser | undefined },
): Promise<boolean> {
  return transact(database, async (tx) => {
    // The merchant first, as `insertInvitation` locks them: the other way round the two can deadlock.
    const [invitation] = await tx.query<{ merchantId: string }>(
      `SELECT merchant_id AS "merchantId" FROM invitations WHERE token_sha256 = $1`,
      [tokenSha256],
    );
    if (!invitation) return false;
    await lockMerchant(tx, invitation.merchantId);
    const [accepted] = await tx.query<{ merchantId: string; role: string }>(
      `UPDATE invitations SET accepted_at = now()
      WHERE token_sha256 = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()
      RETURNING merchant_id AS "merchantId", role`,
      [tokenSha256],
    );
    if (!accepted) return false;
    if (newUser) await insertUser(tx, newUser);
    await addMembership(tx, { ...accepted, userId });
    return true;
  });
}

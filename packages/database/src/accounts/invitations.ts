import { newId } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { accountLimitReached, accountLimits } from '../merchants/account-limits.ts';
import { lockMerchant } from '../merchants/merchants.ts';
import type { TeamRole } from '../states.ts';
import { insertAccountMail } from './account-mails.ts';
import { newLinkToken } from './link-token.ts';
import { addMembership } from './memberships.ts';
import { insertUser } from './users.ts';
import type { NewUser } from './users.ts';

/** An invitation that can be accepted. Date-times are ISO 8601 in UTC. */
export interface InvitationRow {
  id: string;
  email: string;
  role: TeamRole;
  createdAt: string;
  expiresAt: string;
}

export interface NewInvitation {
  merchantId: string;
  id: string;
  /** In lower case. */
  email: string;
  role: TeamRole;
  /** SHA-256 of the token in its link. */
  tokenSha256: Uint8Array;
}

/** Days until an invitation expires. */
const validDays = 7;

/** An invitation is open until it is accepted, is revoked or expires. */
const isOpen = 'i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()';

const columns = `i.id, i.email, i.role, rules.iso_utc(i.created_at) AS "createdAt",
  rules.iso_utc(i.expires_at) AS "expiresAt"`;

/**
 * Makes an invitation: its row, and the path of its link on the console, `/invitations/<token>`. The e-mail address is
 * given in lower case.
 */
export function newInvitation(guest: { merchantId: string; email: string; role: TeamRole }): {
  row: NewInvitation;
  path: string;
} {
  const { token, tokenSha256 } = newLinkToken();
  return { row: { ...guest, id: newId('inv'), tokenSha256 }, path: `/invitations/${token}` };
}

/**
 * Inserts an invitation, and revokes an earlier one of the same address to the merchant. With `mail` the link is
 * mailed to the address and shown to no one else.
 * @throws LimitReached when the merchant has reached its limit of invitations or of team members
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
    await requireInvitationLimits(tx, merchantId);
    const [row] = await tx.query<InvitationRow>(
      `INSERT INTO invitations AS i (merchant_id, id, email, role, token_sha256, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6::int))
       RETURNING ${columns}`,
      [merchantId, id, email, role, tokenSha256, validDays],
    );
    await audit(tx, { subjectId: id, details: { role } });
    if (mail)
      await insertAccountMail(tx, { kind: 'invitation', recipient: email, merchantId, subjectId: id });
    return row as InvitationRow;
  });
}

async function requireInvitationLimits(tx: Queryable, merchantId: string): Promise<void> {
  const [count] = await tx.query<{ open: number; today: number; team: number }>(
    `SELECT count(*) FILTER (WHERE ${isOpen})::int AS open,
       count(*) FILTER (WHERE i.created_at > now() - interval '1 day')::int AS today,
       (SELECT count(*) FROM memberships WHERE merchant_id = $1)::int AS team
     FROM invitations i WHERE i.merchant_id = $1`,
    [merchantId],
  );
  const { open = 0, today = 0, team = 0 } = count ?? {};
  if (team >= accountLimits.teamSize) throw accountLimitReached('teamSize');
  if (open >= accountLimits.openInvitations) throw accountLimitReached('openInvitations');
  if (today >= accountLimits.invitationsPerDay) throw accountLimitReached('invitationsPerDay');
}

/** The link of an invitation, and the contents of its mail. */
export interface InvitationLink {
  path: string;
  role: TeamRole;
  merchantName: string;
}

/** Makes a new link for an open invitation; the previous one becomes invalid. Undefined when it is not open. */
export async function renewInvitationLink(
  database: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<InvitationLink | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  const [renewed] = await database.query<{ role: TeamRole; merchantName: string }>(
    `UPDATE invitations i SET token_sha256 = $1
     FROM merchants m
     WHERE i.merchant_id = $2 AND i.id = $3 AND m.id = i.merchant_id AND ${isOpen}
     RETURNING i.role, m.name AS "merchantName"`,
    [tokenSha256, merchantId, id],
  );
  return renewed && { path: `/invitations/${token}`, ...renewed };
}

/** A merchant's open invitations, newest first. */
export function listInvitations(database: Queryable, merchantId: string): Promise<InvitationRow[]> {
  return database.query(
    `SELECT ${columns} FROM invitations i WHERE i.merchant_id = $1 AND ${isOpen} ORDER BY i.created_at DESC, i.id`,
    [merchantId],
  );
}

/** Revokes an invitation. False when the merchant has no such invitation that is neither accepted nor revoked. */
export function revokeInvitation(database: Database, merchantId: string, id: string): Promise<boolean> {
  return transact(database, async (tx) => {
    const revoked = await tx.execute(
      `UPDATE invitations SET revoked_at = now()
       WHERE merchant_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL`,
      [merchantId, id],
    );
    if (revoked === 1) await audit(tx);
    return revoked === 1;
  });
}

/** An open invitation and its merchant. */
export interface OpenInvitationRow extends InvitationRow {
  merchantId: string;
  merchantName: string;
}

/** The open invitation with this token, or undefined. */
export async function findInvitation(
  database: Queryable,
  tokenSha256: Uint8Array,
): Promise<OpenInvitationRow | undefined> {
  const [found] = await database.query<OpenInvitationRow>(
    `SELECT ${columns}, i.merchant_id AS "merchantId", m.name AS "merchantName"
     FROM invitations i JOIN merchants m ON m.id = i.merchant_id
     WHERE i.token_sha256 = $1 AND ${isOpen}`,
    [tokenSha256],
  );
  return found;
}

/**
 * Accepts an open invitation, once: adds the user to the merchant's team, and inserts the user if they are new. False
 * when it is not open.
 * @throws LimitReached when the team, or the user's list of merchants, is full
 * @throws when the e-mail address of a new user is taken, see `isEmailTaken`
 */
export function acceptInvitation(
  database: Database,
  tokenSha256: Uint8Array,
  { userId, newUser }: { userId: string; newUser: NewUser | undefined },
): Promise<boolean> {
  return transact(database, async (tx) => {
    // Locks the merchant first, as `insertInvitation` does: in the opposite order the two can deadlock.
    const [invitation] = await tx.query<{ merchantId: string }>(
      'SELECT merchant_id AS "merchantId" FROM invitations WHERE token_sha256 = $1',
      [tokenSha256],
    );
    if (!invitation) return false;
    await lockMerchant(tx, invitation.merchantId);
    const [accepted] = await tx.query<{ merchantId: string; role: TeamRole }>(
      `UPDATE invitations i SET accepted_at = now()
       WHERE i.token_sha256 = $1 AND ${isOpen}
       RETURNING i.merchant_id AS "merchantId", i.role`,
      [tokenSha256],
    );
    if (!accepted) return false;
    if (newUser) await insertUser(tx, newUser);
    await addMembership(tx, { ...accepted, userId });
    await audit(tx, { merchantId: accepted.merchantId, details: { role: accepted.role } });
    return true;
  });
}

import type { Database, Queryable } from '../client.ts';
import { insertMembership } from './memberships.ts';
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

/** Invites somebody; an earlier invitation of the same e-mail to the merchant ends. */
export async function insertInvitation(
  database: Database,
  invitation: NewInvitation,
): Promise<InvitationRow> {
  const { merchantId, id, email, role, tokenSha256 } = invitation;
  const [, , [row]] = await database.$transaction([
    // The next statement then sees what another invitation has just added.
    database.$executeRaw`SELECT 1 FROM merchants WHERE id = ${merchantId} FOR NO KEY UPDATE`,
    database.$executeRaw`
      UPDATE invitations SET revoked_at = now()
      WHERE merchant_id = ${merchantId} AND email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL`,
    database.$queryRaw<InvitationRow[]>`
      INSERT INTO invitations (merchant_id, id, email, role, token_sha256, expires_at)
      VALUES (${merchantId}, ${id}, ${email}, ${role}, ${tokenSha256}, now() + make_interval(days => ${invitationDays}::int))
      RETURNING id, email, role, rules.iso_utc(created_at) AS created_at, rules.iso_utc(expires_at) AS expires_at`,
  ]);
  return row as InvitationRow;
}

/** The invitations of a merchant that can still be accepted, newest first. */
export function listInvitations(database: Database, merchantId: string): Promise<InvitationRow[]> {
  return database.$queryRaw`
    SELECT id, email, role, rules.iso_utc(created_at) AS created_at, rules.iso_utc(expires_at) AS expires_at
    FROM invitations
    WHERE merchant_id = ${merchantId} AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()
    ORDER BY invitations.created_at DESC, id`;
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
  const [found] = await database.$queryRaw<OpenInvitationRow[]>`
    SELECT i.id, i.email, i.role, rules.iso_utc(i.created_at) AS created_at, rules.iso_utc(i.expires_at) AS expires_at,
      i.merchant_id AS "merchantId", m.name AS "merchantName"
    FROM invitations i JOIN merchants m ON m.id = i.merchant_id
    WHERE i.token_sha256 = ${tokenSha256} AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()`;
  return found;
}

/**
 * Accepts an invitation, once: makes the user one of the merchant's, and the user himself where he is new. False when
 * it cannot be accepted any more. @throws when the e-mail of a new user is taken, see `isEmailTaken`
 */
export function acceptInvitation(
  database: Database,
  tokenSha256: Uint8Array,
  { userId, newUser }: { userId: string; newUser: NewUser | undefined },
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const [accepted] = await tx.$queryRaw<{ merchantId: string; role: string }[]>`
      UPDATE invitations SET accepted_at = now()
      WHERE token_sha256 = ${tokenSha256} AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()
      RETURNING merchant_id AS "merchantId", role`;
    if (!accepted) return false;
    if (newUser) await insertUser(tx, newUser);
    await insertMembership(tx, { ...accepted, userId });
    return true;
  });
}

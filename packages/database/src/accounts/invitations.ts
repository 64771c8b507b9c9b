import { newId } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { isoOf, readTime, secondsAfter } from '../client/database-clock.ts';
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
  tokenSha256: Uint8Array<ArrayBuffer>;
}

/** Seconds until an invitation expires. */
const validSeconds = 7 * 86_400;

const daySeconds = 86_400;

/** An invitation is open until it is accepted, is revoked or expires. */
const openAt = (now: Date) => ({ acceptedAt: null, revokedAt: null, expiresAt: { gt: now } });

const columns = { id: true, email: true, role: true, createdAt: true, expiresAt: true } as const;

type Columns = { id: string; email: string; role: string; createdAt: Date; expiresAt: Date };

const rowOf = ({ id, email, role, createdAt, expiresAt }: Columns): InvitationRow => ({
  id,
  email,
  role: role as TeamRole,
  createdAt: isoOf(createdAt),
  expiresAt: isoOf(expiresAt),
});

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
  const { merchantId, id, email, role } = invitation;
  return database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const now = await readTime(tx);
    await tx.invitation.updateMany({
      where: { merchantId, email, acceptedAt: null, revokedAt: null },
      data: { revokedAt: now },
    });
    await requireInvitationLimits(tx, merchantId, now);
    const row = await tx.invitation.create({
      data: { ...invitation, createdAt: now, expiresAt: secondsAfter(now, validSeconds) },
      select: columns,
    });
    await audit(tx, { subjectId: id, details: { role } });
    if (mail)
      await insertAccountMail(tx, { kind: 'invitation', recipient: email, merchantId, subjectId: id });
    return rowOf(row);
  });
}

async function requireInvitationLimits(tx: Transaction, merchantId: string, now: Date): Promise<void> {
  const team = await tx.membership.count({ where: { merchantId } });
  if (team >= accountLimits.teamSize) throw accountLimitReached('teamSize');
  const open = await tx.invitation.count({ where: { merchantId, ...openAt(now) } });
  if (open >= accountLimits.openInvitations) throw accountLimitReached('openInvitations');
  const since = secondsAfter(now, -daySeconds);
  const today = await tx.invitation.count({ where: { merchantId, createdAt: { gt: since } } });
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
  database: Database,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<InvitationLink | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  const [renewed] = await database.invitation.updateManyAndReturn({
    where: { merchantId, id, ...openAt(await readTime(database)) },
    data: { tokenSha256 },
    select: { role: true, merchant: { select: { name: true } } },
  });
  return (
    renewed && {
      path: `/invitations/${token}`,
      role: renewed.role as TeamRole,
      merchantName: renewed.merchant.name,
    }
  );
}

/** A merchant's open invitations, newest first. */
export async function listInvitations(database: Database, merchantId: string): Promise<InvitationRow[]> {
  const open = await database.invitation.findMany({
    where: { merchantId, ...openAt(await readTime(database)) },
    select: columns,
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  return open.map(rowOf);
}

/** Revokes an invitation. False when the merchant has no such invitation that is neither accepted nor revoked. */
export function revokeInvitation(database: Database, merchantId: string, id: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const revoked = await tx.invitation.updateMany({
      where: { merchantId, id, acceptedAt: null, revokedAt: null },
      data: { revokedAt: await readTime(tx) },
    });
    if (revoked.count === 0) return false;
    await audit(tx);
    return true;
  });
}

/** An open invitation and its merchant. */
export interface OpenInvitationRow extends InvitationRow {
  merchantId: string;
  merchantName: string;
}

/** The open invitation with this token, or undefined. */
export async function findInvitation(
  database: Database,
  tokenSha256: Uint8Array<ArrayBuffer>,
): Promise<OpenInvitationRow | undefined> {
  const found = await database.invitation.findUnique({
    where: { tokenSha256, ...openAt(await readTime(database)) },
    select: { ...columns, merchantId: true, merchant: { select: { name: true } } },
  });
  if (!found) return undefined;
  return { ...rowOf(found), merchantId: found.merchantId, merchantName: found.merchant.name };
}

/**
 * Accepts an open invitation, once: adds the user to the merchant's team, and inserts the user if they are new. False
 * when it is not open.
 * @throws LimitReached when the team, or the user's list of merchants, is full
 * @throws when the e-mail address of a new user is taken, see `isEmailTaken`
 */
export function acceptInvitation(
  database: Database,
  tokenSha256: Uint8Array<ArrayBuffer>,
  { userId, newUser }: { userId: string; newUser: NewUser | undefined },
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const found = await tx.invitation.findUnique({ where: { tokenSha256 } });
    if (!found) return false;
    const { merchantId } = found;
    // Locks the merchant first, as `insertInvitation` does: in the opposite order the two can deadlock.
    await lockMerchant(tx, merchantId);
    const now = await readTime(tx);
    const [accepted] = await tx.invitation.updateManyAndReturn({
      where: { tokenSha256, ...openAt(now) },
      data: { acceptedAt: now },
      select: { role: true },
    });
    if (!accepted) return false;
    const role = accepted.role as TeamRole;
    if (newUser) await insertUser(tx, newUser);
    await addMembership(tx, { merchantId, userId, role });
    await audit(tx, { merchantId, details: { role } });
    return true;
  });
}

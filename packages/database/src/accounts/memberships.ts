import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { isoOf, readTime } from '../client/database-clock.ts';
import { mergeChanges } from '../client/edit-conflict.ts';
import { accountLimitReached, accountLimits } from '../merchants/account-limits.ts';
import { lockMerchant } from '../merchants/merchants.ts';
import type { TeamRole } from '../states.ts';

/** A merchant of a user, and the user's role there. */
export interface UserMembership {
  merchantId: string;
  name: string;
  role: TeamRole;
}

/** A user's merchants, oldest membership first. */
export async function listMemberships(database: Database, userId: string): Promise<UserMembership[]> {
  const memberships = await database.membership.findMany({
    where: { userId },
    select: { merchantId: true, role: true, merchant: { select: { name: true } } },
    orderBy: [{ createdAt: 'asc' }, { merchantId: 'asc' }],
  });
  return memberships.map(({ merchantId, role, merchant }) => ({
    merchantId,
    name: merchant.name,
    role: role as TeamRole,
  }));
}

/**
 * Adds a user to the merchant's team, within a transaction; a role that they have already stays. Locks the merchant, then
 * the user, so that the counts include concurrent additions.
 * @throws LimitReached when the team, or the user's list of merchants, is full
 */
export async function addMembership(
  tx: Transaction,
  membership: { merchantId: string; userId: string; role: TeamRole },
): Promise<void> {
  const { merchantId, userId } = membership;
  await lockMerchant(tx, merchantId);
  await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
  const added = await tx.membership.createMany({ data: membership, skipDuplicates: true });
  if (added.count === 0) return;
  // The error rolls back the insertion with the transaction.
  const team = await tx.membership.count({ where: { merchantId } });
  if (team > accountLimits.teamSize) throw accountLimitReached('teamSize');
  const merchants = await tx.membership.count({ where: { userId } });
  if (merchants > accountLimits.merchantsPerUser) throw accountLimitReached('merchantsPerUser');
}

/** A user in a merchant's team. */
export interface TeamMemberRow {
  userId: string;
  email: string;
  role: TeamRole;
  /** ISO 8601 in UTC. */
  joinedAt: string;
  /** API keys of the merchant, of both sides, that they created and that are not revoked. */
  liveKeys: number;
}

/** The users of a merchant, oldest membership first. */
export async function listTeam(database: Database, merchantId: string): Promise<TeamMemberRow[]> {
  const team = await database.membership.findMany({
    where: { merchantId },
    select: { userId: true, role: true, createdAt: true, user: { select: { email: true } } },
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
  });
  const keys = await database.apiKey.groupBy({
    by: ['createdBy'],
    where: { merchant: eitherSide(merchantId), revokedAt: null },
    _count: true,
  });
  const liveKeys = new Map(keys.map(({ createdBy, _count: count }) => [createdBy, count]));
  return team.map(({ userId, role, createdAt, user }) => ({
    userId,
    email: user.email,
    role: role as TeamRole,
    joinedAt: isoOf(createdAt),
    liveKeys: liveKeys.get(userId) ?? 0,
  }));
}

/** The two sides of a live merchant. */
const eitherSide = (merchantId: string) => ({ OR: [{ id: merchantId }, { liveMerchantId: merchantId }] });

/** The result of a change of the team. */
export type MembershipUpdate = 'done' | 'not_found' | 'last_owner';

/**
 * Gives a user of the merchant another role, or removes them from its team (null). The last owner stays owner. Sessions
 * of a removed user continue with another of their merchants, or end. `formerRole` is the role that the caller has read.
 * With `revokeKeys` the API keys that the user created, on both sides, are revoked in the same transaction.
 * @throws EditConflict when the user has another role by now
 */
export function updateMembership(
  database: Database,
  change: {
    merchantId: string;
    userId: string;
    role: TeamRole | null;
    formerRole?: TeamRole | undefined;
    revokeKeys?: boolean | undefined;
  },
): Promise<MembershipUpdate> {
  const { merchantId, userId, role, formerRole, revokeKeys = false } = change;
  return database.$transaction(async (tx) => {
    // Locks the entire team: of two owners who demote each other concurrently, the second waits.
    const team = await tx.$queryRaw<{ userId: string; role: TeamRole }[]>`
      SELECT user_id AS "userId", role FROM memberships WHERE merchant_id = ${merchantId} ORDER BY user_id FOR UPDATE`;
    const member = team.find((one) => one.userId === userId);
    if (!member) return 'not_found';
    if (role !== null) mergeChanges(member, { role }, formerRole === undefined ? {} : { role: formerRole });
    const hasOtherOwner = team.some((one) => one.userId !== userId && one.role === 'owner');
    if (role !== 'owner' && !hasOtherOwner) return 'last_owner';
    const where = { merchantId, userId };
    if (role === null) await tx.membership.deleteMany({ where });
    else await tx.membership.updateMany({ where, data: { role } });
    const { count: keysRevoked } = revokeKeys
      ? await tx.apiKey.updateMany({
          where: { merchant: eitherSide(merchantId), createdBy: userId, revokedAt: null },
          data: { revokedAt: await readTime(tx) },
        })
      : { count: 0 };
    await audit(tx, { subjectId: userId, details: { changes: { role: [member.role, role] }, keysRevoked } });
    return 'done';
  });
}

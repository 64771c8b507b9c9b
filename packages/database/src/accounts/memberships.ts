import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
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
export function listMemberships(database: Queryable, userId: string): Promise<UserMembership[]> {
  return database.query(
    `SELECT s.merchant_id AS "merchantId", m.name, s.role
     FROM memberships s JOIN merchants m ON m.id = s.merchant_id
     WHERE s.user_id = $1
     ORDER BY s.created_at, s.merchant_id`,
    [userId],
  );
}

/**
 * Adds a user to the merchant's team, within a transaction; a role that they have already stays. Locks the merchant, then
 * the user, so that the counts include concurrent additions.
 * @throws LimitReached when the team, or the user's list of merchants, is full
 */
export async function addMembership(
  tx: Queryable,
  membership: { merchantId: string; userId: string; role: TeamRole },
): Promise<void> {
  const { merchantId, userId, role } = membership;
  await lockMerchant(tx, merchantId);
  await tx.execute('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  const added = await tx.execute(
    'INSERT INTO memberships (merchant_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [merchantId, userId, role],
  );
  if (added === 0) return;
  const [counts] = await tx.query<{ team: number; merchants: number }>(
    `SELECT (SELECT count(*) FROM memberships WHERE merchant_id = $1)::int AS team,
       (SELECT count(*) FROM memberships WHERE user_id = $2)::int AS merchants`,
    [merchantId, userId],
  );
  // The error rolls back the insertion with the transaction.
  const { team = 0, merchants = 0 } = counts ?? {};
  if (team > accountLimits.teamSize) throw accountLimitReached('teamSize');
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
export function listTeam(database: Queryable, merchantId: string): Promise<TeamMemberRow[]> {
  return database.query(
    `SELECT s.user_id AS "userId", u.email, s.role, rules.iso_utc(s.created_at) AS "joinedAt", (
       SELECT count(*)::int FROM api_keys k
       WHERE k.merchant_id IN (SELECT id FROM merchants WHERE s.merchant_id IN (id, live_merchant_id))
         AND k.created_by = s.user_id AND k.revoked_at IS NULL
     ) AS "liveKeys"
     FROM memberships s JOIN users u ON u.id = s.user_id
     WHERE s.merchant_id = $1
     ORDER BY s.created_at, s.user_id`,
    [merchantId],
  );
}

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
  return transact(database, async (tx) => {
    // Locks the entire team: of two owners who demote each other concurrently, the second waits.
    const team = await tx.query<{ userId: string; role: TeamRole }>(
      'SELECT user_id AS "userId", role FROM memberships WHERE merchant_id = $1 ORDER BY user_id FOR UPDATE',
      [merchantId],
    );
    const member = team.find((one) => one.userId === userId);
    if (!member) return 'not_found';
    if (role !== null) mergeChanges(member, { role }, formerRole === undefined ? {} : { role: formerRole });
    const hasOtherOwner = team.some((one) => one.userId !== userId && one.role === 'owner');
    if (role !== 'owner' && !hasOtherOwner) return 'last_owner';
    if (role === null)
      await tx.execute('DELETE FROM memberships WHERE merchant_id = $1 AND user_id = $2', [
        merchantId,
        userId,
      ]);
    else
      await tx.execute('UPDATE memberships SET role = $3 WHERE merchant_id = $1 AND user_id = $2', [
        merchantId,
        userId,
        role,
      ]);
    let keysRevoked = 0;
    if (revokeKeys)
      keysRevoked = await tx.execute(
        `UPDATE api_keys SET revoked_at = now()
         WHERE merchant_id IN (SELECT id FROM merchants WHERE $1 IN (id, live_merchant_id))
           AND created_by = $2 AND revoked_at IS NULL`,
        [merchantId, userId],
      );
    await audit(tx, { subjectId: userId, details: { changes: { role: [member.role, role] }, keysRevoked } });
    return 'done';
  });
}

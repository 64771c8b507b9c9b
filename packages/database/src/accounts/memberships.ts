import { accountLimitReached, accountLimits } from '../merchants/account-limits.ts';
import { mergeChanges } from '../client/edit-conflict.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { lockMerchant } from '../merchants/merchants.ts';

/** A merchant that a user belongs to. */
export interface UserMembership {
  merchantId: string;
  name: string;
  role: string;
}

/** The merchants that a user belongs to, oldest membership first. */
export function listMemberships(database: Database, userId: string): Promise<UserMembership[]> {
  return database.query(
    `SELECT m.merchant_id AS "merchantId", s.name, m.role FROM memberships m JOIN merchants s ON s.id = m.merchant_id
    WHERE m.user_id = $1 ORDER BY m.created_at, m.merchant_id`,
    [userId],
  );
}

/**
 * Adds a user to the merchant's team, within a transaction; a role that they have already stays. Merchant and user are
 * locked, in this order, so that the counts see what another transaction has just added.
 * @throws LimitReached when the team, or the user's list of merchants, is as long as it may be
 */
export async function addMembership(
  tx: Queryable,
  membership: { merchantId: string; userId: string; role: string },
): Promise<void> {
  const { merchantId, userId, role } = membership;
  await lockMerchant(tx, merchantId);
  await tx.execute('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  const added = await tx.execute(
    `INSERT INTO memberships (merchant_id, user_id, role) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING`,
    [merchantId, userId, role],
  );
  if (added === 0) return;
  // What was added is rolled back with the transaction.
  const [counts] = await tx.query<{ team: number; merchants: number }>(
    `SELECT (SELECT count(*) FROM memberships WHERE merchant_id = $1)::int AS team,
       (SELECT count(*) FROM memberships WHERE user_id = $2)::int AS merchants`,
    [merchantId, userId],
  );
  const { team = 0, merchants = 0 } = counts ?? {};
  if (team > accountLimits.teamSize) throw accountLimitReached('teamSize');
  if (merchants > accountLimits.merchantsPerUser) throw accountLimitReached('merchantsPerUser');
}

export interface TeamMemberRow {
  user_id: string;
  email: string;
  role: string;
  joined_at: string;
  /** API keys of the merchant that they created and that are not revoked. */
  live_keys: number;
}

/** The users of a merchant, oldest membership first. */
export function listTeam(database: Queryable, merchantId: string): Promise<TeamMemberRow[]> {
  return database.query(
    `SELECT m.user_id, u.email, m.role, rules.iso_utc(m.created_at) AS joined_at,
      (SELECT count(*) FROM api_keys k
        WHERE k.merchant_id = m.merchant_id AND k.created_by = m.user_id AND k.revoked_at IS NULL)::int AS live_keys
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.merchant_id = $1 ORDER BY m.created_at, m.user_id`,
    [merchantId],
  );
}

/** What came of a change of the team. */
export type MembershipUpdate = 'done' | 'not_found' | 'last_owner';

/**
 * Gives a user of the merchant another role, or with null removes them from its team. The last owner stays one. Who is
 * removed sees their other merchants; if they have none, their sessions find nothing. `formerRole` is the role that the
 * caller has seen. With `revokeKeys` the API keys that the user created are revoked in the same transaction.
 * @throws EditConflict when the role is another one by now
 */
export function updateMembership(
  database: Database,
  change: {
    merchantId: string;
    userId: string;
    role: string | null;
    formerRole?: string | undefined;
    revokeKeys?: boolean | undefined;
  },
): Promise<MembershipUpdate> {
  const { merchantId, userId, role, formerRole, revokeKeys = false } = change;
  return transact(database, async (tx) => {
    // All rows of the merchant: of two owners who demote each other at the same moment one has to wait.
    const team = await tx.query<{ user_id: string; role: string }>(
      `SELECT user_id, role FROM memberships WHERE merchant_id = $1 ORDER BY user_id FOR UPDATE`,
      [merchantId],
    );
    const member = team.find(({ user_id: id }) => id === userId);
    if (!member) return 'not_found';
    if (role !== null) mergeChanges(member, { role }, formerRole === undefined ? {} : { role: formerRole });
    const otherOwner = team.some((one) => one.user_id !== userId && one.role === 'owner');
    if (role !== 'owner' && !otherOwner) return 'last_owner';
    await (role === null
      ? tx.execute('DELETE FROM memberships WHERE merchant_id = $1 AND user_id = $2', [merchantId, userId])
      : tx.execute('UPDATE memberships SET role = $3 WHERE merchant_id = $1 AND user_id = $2', [
          merchantId,
          userId,
          role,
        ]));
    if (revokeKeys)
      await tx.execute(
        'UPDATE api_keys SET revoked_at = now() WHERE merchant_id = $1 AND created_by = $2 AND revoked_at IS NULL',
        [merchantId, userId],
      );
    return 'done';
  });
}

import { changesOnBase } from '../changed-meanwhile.ts';
import type { Database, Queryable } from '../client.ts';

/** A merchant that a user belongs to. */
export interface MembershipOf {
  merchantId: string;
  name: string;
  role: string;
}

/** The merchants that a user belongs to, oldest membership first. */
export function listMemberships(database: Database, userId: string): Promise<MembershipOf[]> {
  return database.$queryRaw`
    SELECT m.merchant_id AS "merchantId", s.name, m.role FROM memberships m JOIN merchants s ON s.id = m.merchant_id
    WHERE m.user_id = ${userId} ORDER BY m.created_at, m.merchant_id`;
}

/** Makes a user one of the merchant's; a role that he has already stays. */
export async function insertMembership(
  database: Queryable,
  membership: { merchantId: string; userId: string; role: string },
): Promise<void> {
  const { merchantId, userId, role } = membership;
  await database.$executeRaw`
    INSERT INTO memberships (merchant_id, user_id, role) VALUES (${merchantId}, ${userId}, ${role})
    ON CONFLICT DO NOTHING`;
}

export interface TeamMemberRow {
  user_id: string;
  email: string;
  role: string;
  joined_at: string;
}

/** The users of a merchant, oldest membership first. */
export function listTeam(database: Queryable, merchantId: string): Promise<TeamMemberRow[]> {
  return database.$queryRaw`
    SELECT m.user_id, u.email, m.role, rules.iso_utc(m.created_at) AS joined_at
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.merchant_id = ${merchantId} ORDER BY m.created_at, m.user_id`;
}

/** What came of a change of the team. */
export type TeamChange = 'done' | 'not_found' | 'last_owner';

/**
 * Gives a user of the merchant another role, or with null takes him out of it. The last owner stays one. Who is taken
 * out looks at his other merchants; if he has none, his sessions find nothing. `formerRole` is the role that the caller
 * has seen.
 * @throws ChangedMeanwhile when it is another one by now
 */
export function changeTeam(
  database: Database,
  change: { merchantId: string; userId: string; role: string | null; formerRole?: string | undefined },
): Promise<TeamChange> {
  const { merchantId, userId, role, formerRole } = change;
  return database.$transaction(async (tx) => {
    // All rows of the merchant: of two owners who demote each other at the same moment one has to wait.
    const team = await tx.$queryRaw<{ user_id: string; role: string }[]>`
      SELECT user_id, role FROM memberships WHERE merchant_id = ${merchantId} ORDER BY user_id FOR UPDATE`;
    const member = team.find(({ user_id: id }) => id === userId);
    if (!member) return 'not_found';
    if (role !== null) changesOnBase(member, { role }, formerRole === undefined ? {} : { role: formerRole });
    const otherOwner = team.some((one) => one.user_id !== userId && one.role === 'owner');
    if (role !== 'owner' && !otherOwner) return 'last_owner';
    const where = { merchantId_userId: { merchantId, userId } };
    if (role === null) await tx.membership.delete({ where });
    else await tx.membership.update({ where, data: { role } });
    return 'done';
  });
}

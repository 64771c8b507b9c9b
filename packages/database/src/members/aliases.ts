import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';

/** The members that some ids stand for, by id: of each that is an alias. Of ids that are none, nothing. */
export async function findAliases(
  database: Queryable,
  merchantId: string,
  memberIds: string[],
): Promise<Map<string, string>> {
  const rows = await database.query<{ aliasId: string; memberId: string }>(
    `SELECT alias_id AS "aliasId", member_id AS "memberId" FROM member_aliases
     WHERE merchant_id = $1 AND alias_id = ANY($2::text[])`,
    [merchantId, textArray(memberIds)],
  );
  return new Map(rows.map(({ aliasId, memberId }) => [aliasId, memberId]));
}

/** The member that an id stands for: the surviving one of a merged member, otherwise the member with this id. */
export async function resolveMember(
  database: Queryable,
  merchantId: string,
  memberId: string,
): Promise<string> {
  return (await findAliases(database, merchantId, [memberId])).get(memberId) ?? memberId;
}

/** A filter of a list by a member. */
export interface MemberFilter {
  memberId?: string;
  /** The former id by which the member was given: their referral that ended in the merge has it. */
  formerId?: string;
}

/** The filter by a member who may be given by a former id: what was stored under that is the surviving member's. */
export async function findMemberFilter(
  database: Queryable,
  merchantId: string,
  askedId: string | undefined,
): Promise<MemberFilter> {
  if (askedId === undefined) return {};
  const memberId = await resolveMember(database, merchantId, askedId);
  return memberId === askedId ? { memberId } : { memberId, formerId: askedId };
}

/** The former ids of a member, sorted. */
export async function listAliases(
  database: Queryable,
  merchantId: string,
  memberId: string,
): Promise<string[]> {
  const rows = await database.query<{ aliasId: string }>(
    `SELECT alias_id AS "aliasId" FROM member_aliases WHERE merchant_id = $1 AND member_id = $2 ORDER BY alias_id`,
    [merchantId, memberId],
  );
  return rows.map(({ aliasId }) => aliasId);
}

/** How a member got a former id: by a merge or a rename. */
export interface MemberMerge {
  former_member_id: string;
  /** The e-mail address of a console user, `api` or `operator`. */
  merged_by: string;
  merged_at: string;
  reason: string;
}

/** The newest merges that gave a member their former ids, at most 50. */
export function listMerges(
  database: Queryable,
  merchantId: string,
  memberId: string,
): Promise<MemberMerge[]> {
  return database.query<MemberMerge & Record<string, unknown>>(
    `SELECT alias_id AS former_member_id, merged_by, rules.iso_utc(merged_at) AS merged_at, reason
     FROM member_aliases WHERE merchant_id = $1 AND member_id = $2 ORDER BY member_aliases.merged_at DESC, alias_id LIMIT 50`,
    [merchantId, memberId],
  );
}

/** SQL: the ids of the referrals of a member's aliases, which ended when they were merged. `$1` is the merchant. */
export const endedReferralsOf = (memberId: string) => `
  SELECT ended.id FROM member_aliases alias
  JOIN referrals ended ON ended.merchant_id = alias.merchant_id AND ended.referee_member_id = alias.alias_id
  WHERE alias.merchant_id = $1 AND alias.member_id = ${memberId} AND ended.ended IS NOT NULL
  ORDER BY ended.id`;

import type { Queryable } from '../client/client.ts';
import { lookAlikeKey } from './members.ts';

/** A member to be erased, and what replaces their id and their code. */
export interface Erased {
  merchantId: string;
  memberId: string;
  tombstone: string;
}

/** Replaces the member's id in the rows of a table. Returns the number of rows. */
export function replaceMemberId(
  tx: Queryable,
  table: 'orders' | 'rewards' | 'decisions',
  { merchantId, memberId, tombstone }: Erased,
): Promise<number> {
  const alias = table === 'orders' ? ', sent_member_id = NULL' : '';
  return tx.execute(`UPDATE ${table} SET member_id = $3${alias} WHERE merchant_id = $1 AND member_id = $2`, [
    merchantId,
    memberId,
    tombstone,
  ]);
}

/** Replaces an alias under which rewards of this member were issued before they were merged. */
export async function replaceIssuedMemberId(
  tx: Queryable,
  { merchantId, memberId, tombstone }: Erased,
  ofMember: string,
): Promise<void> {
  await tx.execute(
    `UPDATE rewards SET issued_member_id = $3
     WHERE merchant_id = $1 AND member_id = $4 AND issued_member_id = $2`,
    [merchantId, memberId, tombstone, ofMember],
  );
}

/** Replaces the member's id, and their code, in their referrals. */
export async function replaceInReferrals(
  tx: Queryable,
  { merchantId, memberId, tombstone }: Erased,
): Promise<void> {
  await tx.execute(
    'UPDATE referrals SET referee_member_id = $3 WHERE merchant_id = $1 AND referee_member_id = $2',
    [merchantId, memberId, tombstone],
  );
  await tx.execute(
    'UPDATE referrals SET referrer_member_id = $3, code = $3 WHERE merchant_id = $1 AND referrer_member_id = $2',
    [merchantId, memberId, tombstone],
  );
  await tx.execute(
    `UPDATE referral_moves SET from_referrer_member_id = $3, from_code = $3
     WHERE merchant_id = $1 AND from_referrer_member_id = $2`,
    [merchantId, memberId, tombstone],
  );
  await tx.execute(
    `UPDATE referral_moves SET waiting_referrer_member_id = $3, waiting_code = $3
     WHERE merchant_id = $1 AND waiting_referrer_member_id = $2`,
    [merchantId, memberId, tombstone],
  );
  await tx.execute(
    'UPDATE referral_moves SET to_referrer_member_id = $3 WHERE merchant_id = $1 AND to_referrer_member_id = $2',
    [merchantId, memberId, tombstone],
  );
  await tx.execute(
    'UPDATE waiting_links SET referrer_member_id = $3, code = $3 WHERE merchant_id = $1 AND referrer_member_id = $2',
    [merchantId, memberId, tombstone],
  );
}

/**
 * Replaces the member's id and code in their own row, and the code in their clicks. Codes are in capitals, so the
 * lower-case code that replaces the member's cannot be entered.
 */
export async function replaceMember(
  tx: Queryable,
  { merchantId, memberId, tombstone }: Erased,
): Promise<{ members: number; clicks: number }> {
  const [member] = await tx.query<{ code: string }>(
    'SELECT code FROM members WHERE merchant_id = $1 AND member_id = $2',
    [merchantId, memberId],
  );
  if (!member) return { members: 0, clicks: 0 };
  const clicks = await tx.execute('UPDATE clicks SET code = $3 WHERE merchant_id = $1 AND code = $2', [
    merchantId,
    member.code,
    tombstone,
  ]);
  await tx.execute(
    'UPDATE members SET member_id = $3, code = $3, look_alike = $4 WHERE merchant_id = $1 AND member_id = $2',
    [merchantId, memberId, tombstone, lookAlikeKey(tombstone)],
  );
  return { members: 1, clicks };
}

/**
 * Replaces the salt of the merchant's referral ids by its SHA-256. From the new salt nobody can compute the old one, so
 * the ids of existing referrals can no longer be compared with the id of the erased member, and a later member of the
 * same id gets another one. It follows from the old salt, so that an erasure that is repeated after a restore has the same
 * result.
 */
export async function replaceSalt(tx: Queryable, merchantId: string): Promise<void> {
  await tx.execute(
    `UPDATE merchants SET id_salt = encode(substring(sha256(uuid_send(id_salt)) FOR 16), 'hex')::uuid WHERE id = $1`,
    [merchantId],
  );
}

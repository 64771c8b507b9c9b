import { createHash } from 'node:crypto';
import { foldMemberId, generateReferralCode } from '@rewardhook/contract';
import type { Database, Queryable } from '../client/client.ts';

const mostCodeTries = 5;

/** Finds a member's own referral code; undefined for an unknown member. */
export async function findMemberCode(
  database: Queryable,
  merchantId: string,
  memberId: string,
): Promise<string | undefined> {
  const [member] = await database.query<{ code: string }>(
    'SELECT code FROM members WHERE merchant_id = $1 AND member_id = $2',
    [merchantId, memberId],
  );
  return member?.code;
}

/** Finds a member's own referral code; inserts the member with a new one if they are unknown. */
export async function ensureMember(
  database: Queryable,
  merchantId: string,
  memberId: string,
): Promise<string> {
  for (let tries = 0; tries < mostCodeTries; tries += 1) {
    const code = await findMemberCode(database, merchantId, memberId);
    if (code !== undefined) return code;
    // A conflict is a member that a concurrent call has inserted, or a code that is taken.
    await database.execute(
      `INSERT INTO members (merchant_id, member_id, code, look_alike) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [merchantId, memberId, generateReferralCode(), lookAlikeKey(memberId)],
    );
  }
  const code = await findMemberCode(database, merchantId, memberId);
  if (code !== undefined) return code;
  throw new Error('no free referral code was found');
}

/** `ensureMember`, and a lock that keeps the member from being erased until the transaction ends. */
export async function lockMember(tx: Queryable, merchantId: string, memberId: string): Promise<string> {
  await ensureMember(tx, merchantId, memberId);
  const [locked] = await tx.query<{ code: string }>(
    'SELECT code FROM members WHERE merchant_id = $1 AND member_id = $2 FOR KEY SHARE',
    [merchantId, memberId],
  );
  // If the member has just been erased, the id belongs to a new member from now on.
  return locked?.code ?? lockMember(tx, merchantId, memberId);
}

/** The hash that similar member ids share. The folded id itself can be longer than an index entry. */
export function lookAlikeKey(memberId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(foldMemberId(memberId), 'utf8').digest());
}

/** Finds the merchant's member with a referral code, given in capitals. */
export async function findMemberByCode(
  database: Queryable,
  merchantId: string,
  code: string,
): Promise<{ memberId: string } | undefined> {
  const [member] = await database.query<{ memberId: string }>(
    'SELECT member_id AS "memberId" FROM members WHERE merchant_id = $1 AND code = $2',
    [merchantId, code],
  );
  return member;
}

/** Whether a member has an order. */
export async function hasOrders(database: Queryable, merchantId: string, memberId: string): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM orders WHERE merchant_id = $1 AND member_id = $2) AS found',
    [merchantId, memberId],
  );
  return row?.found ?? false;
}

/** The most referrals that are listed with a member. */
const mostListed = 100;

/** Finds a member with their referrer and the members they referred: the newest 100, and the counts of all. */
export async function findMember(database: Database, merchantId: string, memberId: string) {
  const member = await database.member.findUnique({
    where: { merchantId_memberId: { merchantId, memberId } },
  });
  if (!member) return undefined;
  const ofReferrer = { merchantId, referrerMemberId: memberId };
  const [broughtBy, brought, broughtCount, flaggedCount] = await Promise.all([
    database.referral.findUnique({
      where: { merchantId_refereeMemberId: { merchantId, refereeMemberId: memberId } },
    }),
    database.referral.findMany({ where: ofReferrer, orderBy: { linkedAt: 'desc' }, take: mostListed }),
    database.referral.count({ where: ofReferrer }),
    database.referral.count({ where: { ...ofReferrer, flags: { isEmpty: false } } }),
  ]);
  return { member, broughtBy, broughtCount, flaggedCount, brought };
}

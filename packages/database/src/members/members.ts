import { createHash } from 'node:crypto';
import { foldMemberId, generateReferralCode } from '@rewardhook/contract';
import type { Database, Queryable } from '../client/client.ts';
import { listAliases, resolveMember } from './aliases.ts';

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

/** The most similar ids that are named. */
const mostSimilar = 3;

/** The ids of referred members that look like this one, at most three: a shop may spell a customer in two ways. */
export async function findSimilarReferees(
  database: Database,
  merchantId: string,
  memberId: string,
): Promise<string[]> {
  const found = await database.member.findMany({
    where: {
      merchantId,
      lookAlike: lookAlikeKey(memberId),
      memberId: { not: memberId },
      referral: { review: { not: 'rejected' } },
    },
    select: { memberId: true },
    orderBy: { memberId: 'asc' },
    take: mostSimilar,
  });
  return found.map((member) => member.memberId);
}

/** Finds the merchant's member with a referral code, given in capitals: of a merged member, the surviving one. */
export async function findMemberByCode(
  database: Database,
  merchantId: string,
  code: string,
): Promise<{ memberId: string } | undefined> {
  const where = { code, merchantId };
  const owner = await database.member.findUnique({ where, select: { memberId: true } });
  return owner ? { memberId: await resolveMember(database, merchantId, owner.memberId) } : undefined;
}

/** Whether a member has an order. */
export async function hasOrders(database: Database, merchantId: string, memberId: string): Promise<boolean> {
  const where = { merchantId, memberId };
  return (await database.order.findFirst({ where, select: { orderId: true } })) !== null;
}

/** The most referrals that are listed with a member. */
const mostListed = 100;

/** Finds a member, by their id or an alias, with their aliases, their referrer and the members they referred: the newest 100, and the counts of all. */
export async function findMember(database: Database, merchantId: string, askedId: string) {
  const memberId = await resolveMember(database, merchantId, askedId);
  const found = await database.member.findUnique({
    where: { merchantId_memberId: { merchantId, memberId } },
    include: {
      referral: true,
      referrals: { orderBy: { linkedAt: 'desc' }, take: mostListed },
      _count: { select: { referrals: true } },
    },
  });
  if (!found) return undefined;
  const { referral: referredBy, referrals, _count: counts, ...member } = found;
  const flaggedCount = await database.referral.count({
    where: { merchantId, referrerMemberId: memberId, flags: { isEmpty: false } },
  });
  const aliases = await listAliases(database, merchantId, memberId);
  return { member, aliases, referredBy, referralCount: counts.referrals, flaggedCount, referrals };
}

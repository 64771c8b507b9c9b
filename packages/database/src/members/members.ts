import { createHash } from 'node:crypto';
import { foldMemberId, generateReferralCode, newId } from '@rewardhook/contract';
import type { Database, PrismaTransaction } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';

export interface Referral {
  id: string;
  referrerMemberId: string;
  refereeMemberId: string;
  code: string;
  linkedAt: Date;
  /** What looked odd when it was linked, such as `code_velocity`; empty when nothing did. */
  flags: string[];
  /** A `ReviewState`. */
  review: string;
  /** Who accepted or rejected it: a console user's e-mail address, or `operator`. */
  reviewedBy: string | null;
  reviewedAt: Date | null;
}

export interface NewReferral {
  merchantId: string;
  referrerMemberId: string;
  refereeMemberId: string;
  source: 'boot' | 'link';
  flags: string[];
  /** Whether its rewards wait until somebody accepts it; default false. A look-alike of another member always needs that. */
  needsReview?: boolean;
  /** The code that led to the referrer, where one did. */
  code?: string | undefined;
}

/** The code that led to the referrer is his no more: he was erased meanwhile. */
export class StaleReferralCode extends Error {}

/** The referee has referred the referrer already, directly or through others: nobody earns in a circle. */
export class ReferralCycle extends Error {}

const mostCodeTries = 5;

/** The member's own referral code; undefined for a member who is not known. */
export async function findMemberCode(
  database: PrismaTransaction,
  merchantId: string,
  memberId: string,
): Promise<string | undefined> {
  const known = await database.member.findUnique({
    where: { merchantId_memberId: { merchantId, memberId } },
  });
  return known?.code;
}

/** The member's own referral code; the member becomes known if they were not. */
export async function ensureMember(
  database: PrismaTransaction,
  merchantId: string,
  memberId: string,
): Promise<string> {
  const find = () => findMemberCode(database, merchantId, memberId);
  for (let tries = 0; tries < mostCodeTries; tries += 1) {
    const known = await find();
    if (known !== undefined) return known;
    // Both unique keys are met here: a member whom another call has just made known, and a code that is taken.
    await database.$executeRaw`
      INSERT INTO members (merchant_id, member_id, code, look_alike)
      VALUES (${merchantId}, ${memberId}, ${generateReferralCode()}, ${lookAlikeKey(memberId)}) ON CONFLICT DO NOTHING`;
  }
  const known = await find();
  if (known !== undefined) return known;
  throw new Error('no free referral code was found');
}

/** What members who look alike have in common. A hash: a folded id can be longer than an index takes. */
export function lookAlikeKey(memberId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(foldMemberId(memberId), 'utf8').digest());
}

/** The merchant's member that a referral code, in capitals, belongs to. */
export async function findMemberByCode(database: PrismaTransaction, merchantId: string, code: string) {
  return (await database.member.findFirst({ where: { merchantId, code } })) ?? undefined;
}

/** Who brought the member, if anybody did. */
export async function findReferral(
  database: PrismaTransaction,
  merchantId: string,
  refereeMemberId: string,
): Promise<Referral | undefined> {
  const referral = await database.referral.findUnique({
    where: { merchantId_refereeMemberId: { merchantId, refereeMemberId } },
  });
  return referral ?? undefined;
}

/** Whether an order of the member is known. */
export async function hasOrders(
  database: PrismaTransaction,
  merchantId: string,
  memberId: string,
): Promise<boolean> {
  const [row] = await database.$queryRaw<{ found: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM orders WHERE merchant_id = ${merchantId} AND member_id = ${memberId}) AS found`;
  return row?.found ?? false;
}

/**
 * Links referee to referrer, unless the referee has a referrer already: a link never moves, and of several at
 * once one holds. Returns the referral that holds now, and whether it is new; flags and review are those of a new one.
 * @throws StaleReferralCode, ReferralCycle
 */
export function insertReferral(
  database: Database,
  link: NewReferral,
): Promise<{ referral: Referral; isNew: boolean }> {
  const { merchantId, referrerMemberId, refereeMemberId, source } = link;
  const insert = async (tx: PrismaTransaction) => {
    // In one order, so that two links of the same new members the other way round do not meet in a deadlock.
    const codes = new Map<string, string>();
    for (const memberId of [referrerMemberId, refereeMemberId].toSorted())
      codes.set(memberId, await holdMember(tx, merchantId, memberId));
    const code = codes.get(referrerMemberId);
    if (link.code !== undefined && link.code !== code) throw new StaleReferralCode();
    // Links of a merchant are made one after the other: two at once could close a ring that neither sees.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('rewardhook links ' || ${merchantId}, 0))`;
    const held = await findReferral(tx, merchantId, refereeMemberId);
    if (held) return { referral: held, isNew: false };
    const { closesRing, looksAlike } = await lookAround(tx, link);
    if (closesRing) throw new ReferralCycle();
    const flags = looksAlike ? [...link.flags, 'look_alike'] : link.flags;
    const review = looksAlike || link.needsReview ? 'pending' : 'none';
    const added = await tx.$executeRaw`
      INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, flags, review)
      VALUES (${merchantId}, ${newId('ref')}, ${refereeMemberId}, ${referrerMemberId}, ${code}, ${source}, ${flags},
        ${review})
      ON CONFLICT (merchant_id, referee_member_id) DO NOTHING`;
    const referral = await findReferral(tx, merchantId, refereeMemberId);
    if (!referral) throw new Error('the referral is gone');
    return { referral, isNew: added === 1 };
  };
  return retryConflicts(() => database.$transaction(insert));
}

/**
 * Whether the referee is among those who referred the referrer, and whether the referee's id looks like that of another
 * member. Only a referee who has referred somebody can close a ring. OFFSET 0 and (SELECT …) as in order-facts.ts.
 */
async function lookAround(
  tx: PrismaTransaction,
  { merchantId, referrerMemberId, refereeMemberId }: NewReferral,
): Promise<{ closesRing: boolean; looksAlike: boolean }> {
  const [found] = await tx.$queryRaw<{ closesRing: boolean; looksAlike: boolean }[]>`
    WITH RECURSIVE above (member_id) AS (
      SELECT ${referrerMemberId} WHERE EXISTS (
        SELECT 1 FROM referrals WHERE merchant_id = (SELECT ${merchantId}) AND referrer_member_id = ${refereeMemberId})
      UNION
      SELECT r.referrer_member_id FROM above CROSS JOIN LATERAL (
        SELECT referrer_member_id FROM referrals
        WHERE merchant_id = (SELECT ${merchantId}) AND referee_member_id = above.member_id OFFSET 0) r
    )
    SELECT EXISTS (SELECT 1 FROM above WHERE member_id = ${refereeMemberId}) AS "closesRing",
      EXISTS (SELECT 1 FROM members WHERE merchant_id = (SELECT ${merchantId})
        AND look_alike = ${lookAlikeKey(refereeMemberId)} AND member_id <> ${refereeMemberId}) AS "looksAlike"`;
  if (!found) throw new Error('the look around came back empty');
  return found;
}

/** The same as `ensureMember`, and keeps the member from being erased until this transaction ends. */
async function holdMember(tx: PrismaTransaction, merchantId: string, memberId: string): Promise<string> {
  await ensureMember(tx, merchantId, memberId);
  const [held] = await tx.$queryRaw<{ code: string }[]>`
    SELECT code FROM members WHERE merchant_id = ${merchantId} AND member_id = ${memberId} FOR KEY SHARE`;
  // Erased at this moment: whoever comes under his id is a stranger.
  return held?.code ?? holdMember(tx, merchantId, memberId);
}

/** Most referrals that are listed with a member. */
const mostListed = 100;

/** A member with whoever brought him and whom he brought, newest first and 100 at most, for the operator. */
export async function findMember(database: Database, merchantId: string, memberId: string) {
  const member = await database.member.findUnique({
    where: { merchantId_memberId: { merchantId, memberId } },
  });
  if (!member) return undefined;
  const ofReferrer = { merchantId, referrerMemberId: memberId };
  const [broughtBy, brought, broughtCount, flaggedCount] = await Promise.all([
    findReferral(database, merchantId, memberId),
    database.referral.findMany({ where: ofReferrer, orderBy: { linkedAt: 'desc' }, take: mostListed }),
    database.referral.count({ where: ofReferrer }),
    database.referral.count({ where: { ...ofReferrer, flags: { isEmpty: false } } }),
  ]);
  return { member, broughtBy: broughtBy ?? null, broughtCount, flaggedCount, brought };
}

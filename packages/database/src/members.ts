import { generateReferralCode, newId } from '@rewardhook/contract';
import type { Database, Queryable } from './client.ts';

export interface Referral {
  id: string;
  referrerMemberId: string;
  refereeMemberId: string;
  code: string;
  linkedAt: Date;
}

const mostCodeTries = 5;

/** The member's own referral code; the member becomes known if he was not. */
export async function ensureMember(
  database: Queryable,
  merchantId: string,
  memberId: string,
): Promise<string> {
  for (let tries = 0; tries < mostCodeTries; tries += 1) {
    // Both unique keys are met here: a member who is known already, and a code that is taken.
    await database.$executeRaw`
      INSERT INTO members (merchant_id, member_id, code)
      VALUES (${merchantId}, ${memberId}, ${generateReferralCode()}) ON CONFLICT DO NOTHING`;
    const known = await database.member.findUnique({
      where: { merchantId_memberId: { merchantId, memberId } },
    });
    if (known) return known.code;
  }
  throw new Error('no free referral code was found');
}

/** The member that a referral code belongs to. */
export async function findMemberByCode(database: Queryable, merchantId: string, code: string) {
  return (
    (await database.member.findUnique({ where: { merchantId_code: { merchantId, code } } })) ?? undefined
  );
}

/** Who brought the member, if anybody did. */
export async function findReferral(
  database: Queryable,
  merchantId: string,
  refereeMemberId: string,
): Promise<Referral | undefined> {
  const referral = await database.referral.findUnique({
    where: { merchantId_refereeMemberId: { merchantId, refereeMemberId } },
  });
  return referral ?? undefined;
}

/** Whether an order of the member is known. */
export async function hasOrders(database: Queryable, merchantId: string, memberId: string): Promise<boolean> {
  const [row] = await database.$queryRaw<{ found: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM orders WHERE merchant_id = ${merchantId} AND member_id = ${memberId}) AS found`;
  return row?.found ?? false;
}

/**
 * Links referee to referrer, unless the referee has a referrer already: a link never moves.
 * Returns the referral that holds now, and whether it is new.
 */
export async function insertReferral(
  database: Database,
  link: { merchantId: string; referrerMemberId: string; refereeMemberId: string; source: 'boot' | 'link' },
): Promise<{ referral: Referral; isNew: boolean }> {
  const { merchantId, referrerMemberId, refereeMemberId, source } = link;
  return database.$transaction(async (tx) => {
    const code = await ensureMember(tx, merchantId, referrerMemberId);
    await ensureMember(tx, merchantId, refereeMemberId);
    const added = await tx.$executeRaw`
      INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source)
      VALUES (${merchantId}, ${newId('ref')}, ${refereeMemberId}, ${referrerMemberId}, ${code}, ${source})
      ON CONFLICT (merchant_id, referee_member_id) DO NOTHING`;
    const referral = await findReferral(tx, merchantId, refereeMemberId);
    if (!referral) throw new Error('the referral is gone');
    return { referral, isNew: added === 1 };
  });
}

import type { Queryable } from '../client/client.ts';
import type { ReviewState } from '../states.ts';
import { listAliases, resolveMember } from './aliases.ts';

/** A member with their referrer, and the numbers of what belongs to them. */
export interface MemberSummary {
  /** The surviving member, when the id that was asked for is an alias. */
  memberId: string;
  /** Their former ids. */
  aliases: string[];
  /** Their own referral code; null for a member who only has orders. */
  code: string | null;
  /** When their code was made; null without a code. */
  createdAt: Date | null;
  /** The merchant's landing URL, to which share links redirect; null while there is none. */
  landingUrl: string | null;
  /** Null without a referrer. */
  referrer: {
    referralId: string;
    memberId: string;
    code: string;
    linkedAt: Date;
    review: ReviewState;
    /** The number of times that people moved the link. */
    moves: number;
  } | null;
  /** Number of members whom they referred. */
  referees: number;
  orders: number;
  /** Rewards that they get, by state. */
  rewards: { pending: number; confirmed: number; revoked: number; cancelled: number };
}

interface Row extends Omit<MemberSummary, 'memberId' | 'aliases' | 'referrer' | 'rewards'> {
  referralId: string | null;
  referrerMemberId: string;
  referrerCode: string;
  linkedAt: Date;
  review: ReviewState;
  moves: number;
  pending: number;
  confirmed: number;
  revoked: number;
  cancelled: number;
}

const summarySql = `
  SELECT m.code, m.created_at AS "createdAt", merchant.landing_url AS "landingUrl", r.id AS "referralId",
    r.referrer_member_id AS "referrerMemberId", r.code AS "referrerCode", r.linked_at AS "linkedAt", r.review, r.moves,
    (SELECT count(*)::int FROM referrals WHERE merchant_id = $1 AND referrer_member_id = $2 AND ended IS NULL) AS referees,
    (SELECT count(*)::int FROM orders WHERE merchant_id = $1 AND member_id = $2) AS orders,
    rewards.*
  FROM merchants merchant
  LEFT JOIN members m ON m.merchant_id = merchant.id AND m.member_id = $2
  LEFT JOIN referrals r ON r.merchant_id = merchant.id AND r.referee_member_id = $2
  CROSS JOIN (
    SELECT count(*) FILTER (WHERE state = 'pending')::int AS pending,
      count(*) FILTER (WHERE state = 'confirmed')::int AS confirmed,
      count(*) FILTER (WHERE state = 'revoked')::int AS revoked,
      count(*) FILTER (WHERE state = 'cancelled')::int AS cancelled
    FROM rewards WHERE merchant_id = $1 AND member_id = $2) rewards
  WHERE merchant.id = $1`;

/** Reads the summary of a member; undefined for an id without a boot call, link or order. */
export async function findMemberSummary(
  database: Queryable,
  merchantId: string,
  askedId: string,
): Promise<MemberSummary | undefined> {
  const memberId = await resolveMember(database, merchantId, askedId);
  const [row] = await database.query<Row>(summarySql, [merchantId, memberId]);
  if (!row || (row.code === null && row.orders === 0)) return undefined;
  const { code, createdAt, landingUrl, referees, orders } = row;
  const { pending, confirmed, revoked, cancelled } = row;
  return {
    memberId,
    aliases: await listAliases(database, merchantId, memberId),
    code,
    createdAt,
    landingUrl,
    referrer:
      row.referralId === null
        ? null
        : {
            referralId: row.referralId,
            memberId: row.referrerMemberId,
            code: row.referrerCode,
            linkedAt: row.linkedAt,
            review: row.review,
            moves: row.moves,
          },
    referees,
    orders,
    rewards: { pending, confirmed, revoked, cancelled },
  };
}

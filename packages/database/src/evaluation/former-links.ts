import type { LinkState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { numberArray, textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import { isoUtc, withMicroseconds } from '../client/timestamps.ts';

/** A link that a person has replaced. */
type FormerLink = Omit<LinkState, 'review'>;

/** The link that was in force before a move, and the one that waited; by {@link formerKey}. */
export type FormerLinks = ReadonlyMap<string, FormerLink[]>;

/** The key of the links of a referral after `moves` moves. */
export const formerKey = (referralId: string, moves: number): string => `${moves} ${referralId}`;

/** Reads what move `number` has replaced. */
const formerLinksSql = statement<
  { referralId: string; number: number; waiting: Omit<FormerLink, 'source'> | null } & FormerLink,
  [merchantId: string, referralIds: string, numbers: string]
>({
  name: 'list former links',
  parameters: ['text', 'text[]', 'integer[]'],
  columns: {
    referralId: 'text',
    number: 'integer',
    source: 'text',
    code: 'text',
    referrerMemberId: 'text',
    linkedAt: 'text',
    waiting: 'json',
  },
  text: `
    SELECT m.referral_id AS "referralId", m.number, m.from_source AS source, m.from_code AS code,
      m.from_referrer_member_id AS "referrerMemberId", to_json(m.from_linked_at AT TIME ZONE 'UTC')::text AS "linkedAt",
      CASE WHEN m.waiting_code IS NOT NULL THEN json_build_object('code', m.waiting_code,
        'referrerMemberId', m.waiting_referrer_member_id, 'linkedAt', m.waiting_linked_at AT TIME ZONE 'UTC') END AS waiting
    FROM unnest($2::text[], $3::int[]) AS wanted (referral_id, number)
    CROSS JOIN LATERAL (
      SELECT * FROM referral_moves
      WHERE merchant_id = (SELECT $1::text) AND referral_id >= wanted.referral_id AND referral_id <= wanted.referral_id
        AND number = wanted.number
      ORDER BY referral_id, number OFFSET 0) m
    WHERE m.from_source IS NOT NULL`,
});

/** Lists the former links under which these rewards were given. */
export async function listFormerLinks(
  database: Queryable,
  merchantId: string,
  rewards: { referralId: string; linkNumber: number }[],
): Promise<FormerLinks> {
  if (rewards.length === 0) return new Map();
  const wanted = new Map(rewards.map((reward) => [formerKey(reward.referralId, reward.linkNumber), reward]));
  const rows = await run(database, formerLinksSql, [
    merchantId,
    textArray([...wanted.values()].map(({ referralId }) => referralId)),
    numberArray([...wanted.values()].map(({ linkNumber }) => linkNumber + 1)),
  ]);
  return new Map(
    rows.map(({ referralId, number, waiting, ...link }) => {
      const inForce = { ...link, linkedAt: isoUtc(link.linkedAt) };
      const source = link.source === 'boot' ? 'link' : 'boot';
      const other = waiting && { ...waiting, source, linkedAt: withMicroseconds(waiting.linkedAt) };
      return [formerKey(referralId, number - 1), other ? [inForce, other as FormerLink] : [inForce]];
    }),
  );
}

import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';

/**
 * Whether a link from a referrer to a referee, or to two who are being merged, would close a cycle: the referrer is one of them, or was
 * referred by one of them, directly or through others, by links in force or waiting. Somebody who has referred nobody cannot be part of a
 * longer cycle. `OFFSET 0` and `(SELECT …)`: see evaluation/order-states.ts.
 */
export async function closesCycle(
  tx: Queryable,
  merchantId: string,
  referrerMemberId: string,
  refereeMemberIds: string[],
): Promise<boolean> {
  if (refereeMemberIds.includes(referrerMemberId)) return true;
  const [row] = await tx.query<{ found: boolean }>(
    `WITH RECURSIVE referrers (member_id) AS (
       SELECT $2::text WHERE EXISTS (
         SELECT 1 FROM referrals
         WHERE merchant_id = (SELECT $1::text) AND referrer_member_id = ANY($3::text[]) AND ended IS NULL
         UNION ALL
         SELECT 1 FROM waiting_links
         WHERE merchant_id = (SELECT $1::text) AND referrer_member_id = ANY($3::text[]))
       UNION
       SELECT link.referrer_member_id FROM referrers CROSS JOIN LATERAL (
         SELECT id, referrer_member_id FROM referrals
         WHERE merchant_id = (SELECT $1::text) AND referee_member_id = referrers.member_id AND ended IS NULL OFFSET 0) r
       CROSS JOIN LATERAL (
         SELECT r.referrer_member_id
         UNION ALL
         SELECT w.referrer_member_id FROM waiting_links w
         WHERE w.merchant_id = (SELECT $1::text) AND w.referral_id = r.id) link
       WHERE referrers.member_id <> ALL ($3::text[])
     )
     SELECT EXISTS (SELECT 1 FROM referrers WHERE member_id = ANY($3::text[])) AS found`,
    [merchantId, referrerMemberId, textArray(refereeMemberIds)],
  );
  return row?.found === true;
}

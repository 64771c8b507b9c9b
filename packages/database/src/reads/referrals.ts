import type { Answer } from '@rewardhook/contract';
import type { Sql } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import type { ReviewState } from '../states.ts';
import { listPage, openConditions } from './list-page.ts';
import type { ListPage, ListQuery, PageRequest } from './list-page.ts';

/** A referral as the API answers with it, and who reviewed and moved it, which only the console shows. */
export type ReferralRow = Omit<Answer<'Referral'>, 'moves'> & {
  /** Who accepted or rejected it: a console user's e-mail address, or `operator`. */
  reviewed_by: string | null;
  moves: ReferralMoveRow[];
};

/** A move of a referral's link by a person: a console user's e-mail address, `api` or `operator`. */
export type ReferralMoveRow = Answer<'Referral'>['moves'][number] & { moved_by: string };

export interface ReferralSearch {
  /** True: only flagged referrals; false: only those without flags. */
  flagged?: boolean | undefined;
  review?: ReviewState | undefined;
  id?: string | undefined;
  /** The referrer or the referee. */
  memberId?: string | undefined;
  /** A former id of this member: also the referral of it that ended in the merge. */
  formerId?: string | undefined;
  referrerMemberId?: string | undefined;
  refereeMemberId?: string | undefined;
  /** Only those that the figures count: live, not rejected, of a member who was new. */
  counted?: true | undefined;
  /** Range of the link: from inclusive, until exclusive. */
  from?: string | undefined;
  until?: string | undefined;
}

const referralColumns = `id, referrer_member_id, referee_member_id, code, source, flags,
  rules.iso_utc(linked_at) AS linked_at, review, reviewed_by, rules.iso_utc(reviewed_at) AS reviewed_at,
  had_order_before AS not_new, ended, from_order_id, CASE WHEN moves = 0 THEN '[]'::json ELSE (
    SELECT json_agg(m ORDER BY m.number DESC) FROM (
      SELECT number, from_referrer_member_id, to_referrer_member_id, from_order_id, reason, moved_by,
        rules.iso_utc(moved_at) AS moved_at
      FROM referral_moves
      WHERE merchant_id = referrals.merchant_id AND referral_id = referrals.id ORDER BY number DESC LIMIT 20) m) END AS moves`;

/** A page of a merchant's referrals, newest first. @throws CursorError */
export function listReferralsPage(
  database: Sql,
  merchantId: string,
  search: ReferralSearch,
  page: PageRequest,
): Promise<ListPage<ReferralRow>> {
  return listPage(database, referralsQuery(merchantId, search), page);
}

/** The list of referrals. */
export function referralsQuery(merchantId: string, search: ReferralSearch): ListQuery {
  const conditions = openConditions(merchantId);
  conditions.addFilter('(cardinality(flags) > 0) = ?', search.flagged);
  // Those that wait for a review have an index of their own.
  if (search.review === 'pending') conditions.add('review = ?', search.review);
  else conditions.addFilter('review = ?', search.review);
  conditions.add('id = ?', search.id);
  const { memberId: member, formerId } = search;
  if (member === undefined || formerId === undefined)
    conditions.add('(referrer_member_id = ? OR referee_member_id = ?)', member);
  else
    conditions.add(
      '(referrer_member_id = (?::text[])[1] OR referee_member_id = ANY(?::text[]))',
      textArray([member, formerId]),
    );
  conditions.add('referrer_member_id = ?', search.referrerMemberId);
  conditions.add('referee_member_id = ?', search.refereeMemberId);
  conditions.add('referrals.linked_at >= ?', search.from);
  conditions.add('referrals.linked_at < ?', search.until);
  const { sql, values } = conditions;
  // As `readFigures` has it.
  const counted = ` AND ended IS NULL AND review <> 'rejected' AND NOT had_order_before`;
  const filter = `${search.counted ? counted : ''}${conditions.filter}`;
  const from = `FROM referrals WHERE merchant_id = $1${sql}`;
  const { id, memberId, referrerMemberId, refereeMemberId } = search;
  const byIndex = [id, memberId, referrerMemberId, refereeMemberId].every((value) => value === undefined);
  return { columns: referralColumns, from, filter, values, time: 'referrals.linked_at', id: 'id', byIndex };
}

import type { Sql } from '../client/client.ts';
import type { ReferralEnd, ReferralSource, ReviewState } from '../states.ts';
import { listPage, openConditions } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** A referral with its review. Date-times are ISO 8601 in UTC. */
export interface ReferralRow {
  id: string;
  referrer_member_id: string;
  referee_member_id: string;
  code: string;
  source: ReferralSource;
  flags: string[];
  linked_at: string;
  review: ReviewState;
  /** Who accepted or rejected it: a console user's e-mail address, or `operator`. */
  reviewed_by: string | null;
  reviewed_at: string | null;
  /** Whether the referee had a paid order more than 24 hours before the boot that linked them: it earns nothing. */
  not_new: boolean;
  /** Why it ended when members were merged; null while it is live. */
  ended: ReferralEnd | null;
}

export interface ReferralSearch {
  /** True: only flagged referrals; false: only those without flags. */
  flagged?: boolean | undefined;
  review?: ReviewState | undefined;
  id?: string | undefined;
  /** The referrer or the referee. */
  memberId?: string | undefined;
  referrerMemberId?: string | undefined;
  refereeMemberId?: string | undefined;
}

const referralColumns = `id, referrer_member_id, referee_member_id, code, source, flags,
  rules.iso_utc(linked_at) AS linked_at, review, reviewed_by, rules.iso_utc(reviewed_at) AS reviewed_at,
  not_new, ended`;

/** A page of a merchant's referrals, newest first. @throws CursorError */
export function listReferralsPage(
  database: Sql,
  merchantId: string,
  search: ReferralSearch,
  page: PageRequest,
): Promise<ListPage<ReferralRow>> {
  const conditions = openConditions(merchantId);
  conditions.add('(cardinality(flags) > 0) = ?', search.flagged);
  conditions.add('review = ?', search.review);
  conditions.add('id = ?', search.id);
  conditions.add('(referrer_member_id = ? OR referee_member_id = ?)', search.memberId);
  conditions.add('referrer_member_id = ?', search.referrerMemberId);
  conditions.add('referee_member_id = ?', search.refereeMemberId);
  const { sql, values } = conditions;
  const from = `FROM referrals WHERE merchant_id = $1${sql}`;
  const { id, memberId, referrerMemberId, refereeMemberId } = search;
  const byIndex = [id, memberId, referrerMemberId, refereeMemberId].every((value) => value === undefined);
  const query = { columns: referralColumns, from, values, time: 'referrals.linked_at', id: 'id', byIndex };
  return listPage(database, query, page);
}

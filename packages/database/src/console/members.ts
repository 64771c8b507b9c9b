import type { Database } from '../client/client.ts';
import type { ReferralSource, ReviewState } from '../states.ts';
import { CursorError, listPage, openConditions } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

export interface MemberRow {
  member_id: string;
  code: string;
  created_at: string;
  /** The member who referred them; null without a referral. */
  referrer_member_id: string | null;
  referees: number;
}

/**
 * A page of a merchant's members, ordered by member id. `search` is a prefix of the member id, or a referral code in any
 * case.
 * @throws CursorError
 */
export async function listMembersPage(
  database: Database,
  merchantId: string,
  search: string | undefined,
  { after, limit }: PageRequest,
): Promise<ListPage<MemberRow>> {
  const conditions = openConditions(merchantId);
  conditions.add('(starts_with(m.member_id, ?) OR m.code = upper(?))', search);
  conditions.add('m.member_id > ?', after === null ? undefined : parseMemberCursor(after));
  const { sql, values } = conditions;
  const rows = await database.query<MemberRow>(
    `SELECT m.member_id, m.code, rules.iso_utc(m.created_at) AS created_at, (
       SELECT r.referrer_member_id FROM referrals r
       WHERE r.merchant_id = m.merchant_id AND r.referee_member_id = m.member_id) AS referrer_member_id, (
       SELECT count(*) FROM referrals r
       WHERE r.merchant_id = m.merchant_id AND r.referrer_member_id = m.member_id)::int AS referees
     FROM members m WHERE m.merchant_id = $1${sql} ORDER BY m.member_id LIMIT $${values.length + 1}`,
    [...values, limit + 1],
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const next = rows.length > limit && last ? Buffer.from(last.member_id).toString('base64url') : null;
  return { items, next };
}

function parseMemberCursor(cursor: string): string {
  const memberId = Buffer.from(cursor, 'base64url').toString();
  if (memberId === '' || memberId.includes('\0')) throw new CursorError('this is not a cursor of this list');
  return memberId;
}

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
  rules.iso_utc(linked_at) AS linked_at, review, reviewed_by, rules.iso_utc(reviewed_at) AS reviewed_at`;

/** A page of a merchant's referrals, newest first. @throws CursorError */
export function listReferralsPage(
  database: Database,
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
  const query = { columns: referralColumns, from, values, time: 'referrals.linked_at', id: 'id' };
  return listPage(database, query, page);
}

import { readMemberSearch } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import { CursorError, openConditions, takePage } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** A member of a list, as the API answers with it; the console has the name of the column for their code. */
export type MemberRow = Omit<Answer<'MemberListItem'>, 'referral_code'> & { code: string };

/**
 * A page of a merchant's members without aliases, ordered by member id. `search` is what a person typed or pasted: a prefix of the member
 * id, a referral code or share link, or the id or code that a member had before they were merged.
 * @throws CursorError
 */
export async function listMembersPage(
  database: Queryable,
  merchantId: string,
  search: string | undefined,
  { after, limit }: PageRequest,
): Promise<ListPage<MemberRow>> {
  const conditions = openConditions(merchantId, limit + 1);
  conditions.add('m.member_id > ?', after === null ? undefined : parseMemberCursor(after));
  // Each by its own index: with OR, the search for a member who does not exist would read all members.
  const sources: string[] = [];
  const values = [...conditions.values];
  const add = (condition: string, value: unknown) => {
    values.push(value);
    sources.push(` AND ${condition.replace('?', `$${values.length}`)}`);
  };
  if (search === undefined) sources.push('');
  else {
    const { ids, codes } = readMemberSearch(search);
    for (const id of ids) add('starts_with(m.member_id, ?)', id);
    add('m.code = ANY(?::text[])', codes);
    add(
      `m.member_id = ANY(ARRAY(
        SELECT member_id FROM member_aliases WHERE merchant_id = $1 AND alias_id = ANY(?::text[])))`,
      ids,
    );
    add(
      `m.member_id = ANY(ARRAY(
        SELECT a.member_id FROM members former
        JOIN member_aliases a ON a.merchant_id = former.merchant_id AND a.alias_id = former.member_id
        WHERE former.merchant_id = $1 AND former.code = ANY(?::text[])))`,
      codes,
    );
  }
  const found = sources.map(
    (condition) => `(
      SELECT m.merchant_id, m.member_id, m.code, m.created_at FROM members m
      WHERE m.merchant_id = $1 AND NOT EXISTS (
        SELECT 1 FROM member_aliases a WHERE a.merchant_id = m.merchant_id AND a.alias_id = m.member_id)
        ${conditions.sql}${condition}
      ORDER BY m.member_id LIMIT $2)`,
  );
  const rows = await database.query<MemberRow>(
    `SELECT m.member_id, m.code, rules.iso_utc(m.created_at) AS created_at, (
       SELECT r.referrer_member_id FROM referrals r
       WHERE r.merchant_id = m.merchant_id AND r.referee_member_id = m.member_id
     ) AS referrer_member_id, (
       SELECT count(*)::int FROM referrals r
       WHERE r.merchant_id = m.merchant_id AND r.referrer_member_id = m.member_id
     ) AS referees
     FROM (SELECT * FROM (${found.join(' UNION ')}) found ORDER BY member_id LIMIT $2) m
     ORDER BY m.member_id`,
    values,
  );
  const items = takePage(rows, limit);
  const last = items.at(-1);
  const next = rows.length > items.length && last ? formatMemberCursor(last.member_id) : null;
  return { items, next };
}

const formatMemberCursor = (memberId: string): string => Buffer.from(memberId).toString('base64url');

function parseMemberCursor(cursor: string): string {
  const memberId = Buffer.from(cursor, 'base64url').toString();
  // Not equal when the bytes are not UTF-8: any text decodes to some bytes.
  const valid = memberId !== '' && !memberId.includes('\0') && formatMemberCursor(memberId) === cursor;
  if (!valid) throw new CursorError('this is not a cursor of this list');
  return memberId;
}

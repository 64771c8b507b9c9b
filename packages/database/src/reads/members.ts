import { readMemberSearch } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import { isAfterId, orderOfId, startsWith } from './id-prefix.ts';
import { formatIdCursor, openConditions, parseIdCursor, takePage } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** A member of a list, as the API answers with it; the console has the name of the column for their code. */
export type MemberRow = Omit<Answer<'MemberListItem'>, 'referral_code'> & { code: string };

/**
 * A page of a merchant's members without aliases, ordered by member id; with `search`, by the id in lower case. `search` is what a person
 * typed or pasted: a prefix of the member id in any case, a referral code or share link, or the id or code that a member had before they
 * were merged.
 * @throws CursorError
 */
export async function listMembersPage(
  database: Queryable,
  merchantId: string,
  search: string | undefined,
  { after, limit }: PageRequest,
): Promise<ListPage<MemberRow>> {
  const afterId = after === null ? undefined : parseIdCursor(after);
  const { sql, order, values } = selectMembers(merchantId, search, { afterId, most: limit + 1 });
  const rows = await database.query<MemberRow>(
    `SELECT m.member_id, m.code, rules.iso_utc(m.created_at) AS created_at, (
       SELECT r.referrer_member_id FROM referrals r
       WHERE r.merchant_id = m.merchant_id AND r.referee_member_id = m.member_id
     ) AS referrer_member_id, (
       SELECT count(*)::int FROM referrals r
       WHERE r.merchant_id = m.merchant_id AND r.referrer_member_id = m.member_id
     ) AS referees
     FROM (${sql}) m ORDER BY ${order}`,
    values,
  );
  const items = takePage(rows, limit);
  const last = items.at(-1);
  const next = rows.length > items.length && last ? formatIdCursor(last.member_id) : null;
  return { items, next };
}

/** SQL: rows of `members m`, the first `most` of those that `search` means, as {@link listMembersPage} describes it; their order; the parameters. */
export function selectMembers(
  merchantId: string,
  search: string | undefined,
  { afterId, most }: { afterId?: string | undefined; most: number },
): { sql: string; order: string; values: unknown[] } {
  const conditions = openConditions(merchantId, most);
  const rows = 'SELECT m.merchant_id, m.member_id, m.code, m.created_at';
  const of = `FROM members m WHERE m.merchant_id = $1 AND NOT EXISTS (
    SELECT 1 FROM member_aliases a WHERE a.merchant_id = m.merchant_id AND a.alias_id = m.member_id)`;
  if (search === undefined) {
    conditions.add('m.member_id > ?', afterId);
    const order = 'm.member_id';
    return {
      sql: `${rows} ${of}${conditions.sql} ORDER BY ${order} LIMIT $2`,
      order,
      values: conditions.values,
    };
  }
  const order = orderOfId('m.member_id');
  conditions.add(isAfterId('m.member_id'), afterId);
  // Each by its own index: with OR, the search for a member who does not exist would read all members.
  const values = [...conditions.values];
  const sources: string[] = [];
  const add = (condition: string, value: unknown, limited = '') => {
    values.push(value);
    sources.push(
      `(${rows} ${of}${conditions.sql} AND ${condition.replace('?', `$${values.length}`)}${limited})`,
    );
  };
  const { ids, codes } = readMemberSearch(search);
  for (const id of ids) add(startsWith('m.member_id'), id, ` ORDER BY ${order} LIMIT $2`);
  // These have few rows. In the order of the ids, they would be looked for among all members.
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
  return { sql: `SELECT * FROM (${sources.join(' UNION ')}) m ORDER BY ${order} LIMIT $2`, order, values };
}

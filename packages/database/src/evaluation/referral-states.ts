import type { LinkState, ReferralState, StoredReferral } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { booleanArray, textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import { isoUtc } from '../client/timestamps.ts';

type Row = Omit<StoredReferral, 'other'> & {
  otherSource: LinkState['source'] | null;
  otherCode: string;
  otherReferrerMemberId: string;
  otherReview: LinkState['review'];
  otherLinkedAt: string;
};

const columns = {
  id: 'text',
  source: 'text',
  code: 'text',
  referrerMemberId: 'text',
  refereeMemberId: 'text',
  review: 'text',
  linkedAt: 'text',
  hadOrderBefore: 'boolean',
  ended: 'text',
  mergedIds: 'json',
  moves: 'integer',
  fromOrderId: 'text',
  otherSource: 'text',
  otherCode: 'text',
  otherReferrerMemberId: 'text',
  otherReview: 'text',
  otherLinkedAt: 'text',
} as const;

const listOfRefereesSql = statement<Row, [merchantId: string, memberIds: string]>({
  name: 'list referrals of referees',
  parameters: ['text', 'text[]'],
  columns,
  text: `
    SELECT r.id, r.source, r.code, r.referrer_member_id AS "referrerMemberId", r.referee_member_id AS "refereeMemberId",
      r.review, to_json(r.linked_at AT TIME ZONE 'UTC')::text AS "linkedAt", r.had_order_before AS "hadOrderBefore", r.ended,
      to_json(r.merged_ids) AS "mergedIds", r.moves, r.from_order_id AS "fromOrderId",
      w.source AS "otherSource", w.code AS "otherCode", w.referrer_member_id AS "otherReferrerMemberId",
      w.review AS "otherReview", to_json(w.linked_at AT TIME ZONE 'UTC')::text AS "otherLinkedAt"
    FROM unnest($2::text[]) AS wanted (member_id)
    CROSS JOIN LATERAL (
      SELECT * FROM referrals
      WHERE merchant_id = (SELECT $1::text)
        AND referee_member_id >= wanted.member_id AND referee_member_id <= wanted.member_id
      ORDER BY referee_member_id OFFSET 0) r
    LEFT JOIN LATERAL (
      SELECT * FROM waiting_links
      WHERE merchant_id = (SELECT $1::text) AND referral_id >= r.id AND referral_id <= r.id
      ORDER BY referral_id OFFSET 0) w ON true
    WHERE r.ended IS NULL`,
});

const lockOfRefereesSql = statement<Row, [merchantId: string, memberIds: string]>({
  name: 'lock referrals of referees',
  parameters: ['text', 'text[]'],
  columns,
  text: `
    SELECT r.id, r.source, r.code, r.referrer_member_id AS "referrerMemberId", r.referee_member_id AS "refereeMemberId",
      r.review, to_json(r.linked_at AT TIME ZONE 'UTC')::text AS "linkedAt", r.had_order_before AS "hadOrderBefore", r.ended,
      to_json(r.merged_ids) AS "mergedIds", r.moves, r.from_order_id AS "fromOrderId",
      w.source AS "otherSource", w.code AS "otherCode", w.referrer_member_id AS "otherReferrerMemberId",
      w.review AS "otherReview", to_json(w.linked_at AT TIME ZONE 'UTC')::text AS "otherLinkedAt"
    FROM (
      SELECT id AS wanted_id FROM unnest($2::text[]) AS wanted (member_id)
      CROSS JOIN LATERAL (
        SELECT * FROM referrals
        WHERE merchant_id = (SELECT $1::text)
          AND referee_member_id >= wanted.member_id AND referee_member_id <= wanted.member_id
        ORDER BY referee_member_id OFFSET 0) r
      ORDER BY id
    ) locked
    CROSS JOIN LATERAL (
      SELECT * FROM referrals
      WHERE merchant_id = (SELECT $1::text) AND id >= locked.wanted_id AND id <= locked.wanted_id
      ORDER BY id OFFSET 0 FOR UPDATE) r
    LEFT JOIN LATERAL (
      SELECT * FROM waiting_links
      WHERE merchant_id = (SELECT $1::text) AND referral_id >= r.id AND referral_id <= r.id
      ORDER BY referral_id OFFSET 0 FOR SHARE) w ON true
    WHERE r.ended IS NULL`,
});

const listByIdSql = statement<Row, [merchantId: string, ids: string]>({
  name: 'list referrals by id',
  parameters: ['text', 'text[]'],
  columns,
  text: `
    SELECT r.id, r.source, r.code, r.referrer_member_id AS "referrerMemberId", r.referee_member_id AS "refereeMemberId",
      r.review, to_json(r.linked_at AT TIME ZONE 'UTC')::text AS "linkedAt", r.had_order_before AS "hadOrderBefore", r.ended,
      to_json(r.merged_ids) AS "mergedIds", r.moves, r.from_order_id AS "fromOrderId",
      w.source AS "otherSource", w.code AS "otherCode", w.referrer_member_id AS "otherReferrerMemberId",
      w.review AS "otherReview", to_json(w.linked_at AT TIME ZONE 'UTC')::text AS "otherLinkedAt"
    FROM unnest($2::text[]) AS wanted (wanted_id)
    CROSS JOIN LATERAL (
      SELECT * FROM referrals
      WHERE merchant_id = (SELECT $1::text) AND id >= wanted.wanted_id AND id <= wanted.wanted_id
      ORDER BY id OFFSET 0) r
    LEFT JOIN LATERAL (
      SELECT * FROM waiting_links
      WHERE merchant_id = (SELECT $1::text) AND referral_id >= r.id AND referral_id <= r.id
      ORDER BY referral_id OFFSET 0) w ON true`,
});

/** Lists the live referrals of referees, by referee. */
export async function listReferralStates(
  database: Queryable,
  merchantId: string,
  refereeMemberIds: string[],
): Promise<Map<string, StoredReferral>> {
  return byReferee(await run(database, listOfRefereesSql, [merchantId, textArray(refereeMemberIds)]));
}

/**
 * Lists the live referrals of referees and locks them: evaluations of one referee run one after the other, and the second
 * reads what the first has written. All evaluations lock in one order.
 */
export async function lockReferralStates(
  tx: Queryable,
  merchantId: string,
  refereeMemberIds: string[],
): Promise<Map<string, StoredReferral>> {
  return byReferee(await run(tx, lockOfRefereesSql, [merchantId, textArray(refereeMemberIds)]));
}

/** Lists referrals by their ids. */
export async function listReferralStatesById(
  database: Queryable,
  merchantId: string,
  ids: string[],
): Promise<Map<string, StoredReferral>> {
  const rows = await run(database, listByIdSql, [merchantId, textArray(ids)]);
  return new Map(rows.map((row) => [row.id, stateOf(row)]));
}

function byReferee(rows: Row[]): Map<string, StoredReferral> {
  return new Map(rows.map((row) => [row.refereeMemberId, stateOf(row)]));
}

function stateOf(row: Row): StoredReferral {
  const { otherSource, otherCode, otherReferrerMemberId, otherReview, otherLinkedAt, ...inForce } = row;
  const other: LinkState | null = otherSource && {
    source: otherSource,
    code: otherCode,
    referrerMemberId: otherReferrerMemberId,
    review: otherReview,
    linkedAt: isoUtc(otherLinkedAt),
  };
  return { ...inForce, linkedAt: isoUtc(inForce.linkedAt), other };
}

const exchangeLinksSql = statement<NoRow, [merchantId: string, referralIds: string]>({
  name: 'exchange links',
  parameters: ['text', 'text[]'],
  columns: {},
  text: `
    WITH former AS MATERIALIZED (
      SELECT r.* FROM unnest($2::text[]) AS wanted (id)
      CROSS JOIN LATERAL (
        SELECT ctid AS row, * FROM referrals
        WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
        ORDER BY id OFFSET 0) r
    ), waiting AS MATERIALIZED (
      SELECT w.*, former.row AS referral_row FROM former
      CROSS JOIN LATERAL (
        SELECT ctid AS row, * FROM waiting_links
        WHERE merchant_id = (SELECT $1::text) AND referral_id >= former.id AND referral_id <= former.id
        ORDER BY referral_id OFFSET 0) w
    ), in_force AS (
      UPDATE referrals r SET referrer_member_id = w.referrer_member_id, code = w.code, source = w.source, flags = w.flags,
        review = w.review, reviewed_by = w.reviewed_by, reviewed_at = w.reviewed_at, linked_at = w.linked_at
      FROM waiting w WHERE r.ctid = w.referral_row
    )
    UPDATE waiting_links w SET referrer_member_id = r.referrer_member_id, code = r.code, source = r.source,
      flags = r.flags, review = r.review, reviewed_by = r.reviewed_by, reviewed_at = r.reviewed_at, linked_at = r.linked_at
    FROM former r JOIN waiting ON waiting.referral_row = r.row WHERE w.ctid = waiting.row`,
});

const updateHadOrderBeforeSql = statement<
  NoRow,
  [merchantId: string, referralIds: string, hadOrderBefore: string]
>({
  name: 'update whether referees were new',
  parameters: ['text', 'text[]', 'boolean[]'],
  columns: {},
  text: `
    UPDATE referrals r SET had_order_before = change.had_order_before
    FROM (
      SELECT found.row, wanted.had_order_before FROM unnest($2::text[], $3::boolean[]) AS wanted (id, had_order_before)
      CROSS JOIN LATERAL (
        SELECT ctid AS row FROM referrals
        WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE) found
    ) change
    WHERE r.ctid = change.row`,
});

/**
 * Stores which links are in force, of referrals that are locked. Returns the referees for whom that has changed: all of their orders
 * may be decided differently.
 */
export async function storeLinksInForce(
  tx: Queryable,
  merchantId: string,
  stored: Map<string, StoredReferral>,
  inForce: Map<string, ReferralState>,
): Promise<string[]> {
  const pairs = [...stored.values()].flatMap((former) => {
    const now = inForce.get(former.refereeMemberId);
    return now ? [{ former, now }] : [];
  });
  const exchanged = pairs.filter(({ former, now }) => former.source !== now.source);
  const changed = pairs.filter(({ former, now }) => former.hadOrderBefore !== (now.olderOrder !== null));
  if (exchanged.length > 0)
    await run(tx, exchangeLinksSql, [merchantId, textArray(exchanged.map(({ now }) => now.id))]);
  if (changed.length > 0)
    await run(tx, updateHadOrderBeforeSql, [
      merchantId,
      textArray(changed.map(({ now }) => now.id)),
      booleanArray(changed.map(({ now }) => now.olderOrder !== null)),
    ]);
  return [...new Set([...exchanged, ...changed].map(({ now }) => now.refereeMemberId))];
}

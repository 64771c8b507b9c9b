import type { ReferralState, ReviewState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { isoUtc, rawUtc } from '../client/timestamps.ts';
import { textArray } from '../client/sql-arrays.ts';

type Row = Record<'id' | 'code' | 'referrer_member_id' | 'referee_member_id' | 'linked_at', string> & {
  review: ReviewState;
};

const columns = `id, code, referrer_member_id, referee_member_id, review, ${rawUtc('linked_at')} AS linked_at`;

// $1 merchant, $2 member ids; OFFSET 0 and (SELECT $1) as in order-facts.ts.
const ofReferees = (wanted: string) => `
  SELECT ${wanted} FROM unnest($2::text[]) AS wanted (member_id)
  CROSS JOIN LATERAL (
    SELECT * FROM referrals WHERE merchant_id = (SELECT $1::text) AND referee_member_id = wanted.member_id OFFSET 0) r`;

/** Who brought these members, by referee. */
export async function readReferrals(
  sql: Queryable,
  merchantId: string,
  refereeMemberIds: string[],
): Promise<Map<string, ReferralState>> {
  return byReferee(await sql.query<Row>(ofReferees(columns), [merchantId, textArray(refereeMemberIds)]));
}

/**
 * The same, and makes judgements of one referee wait for each other. The locks are taken in one order, and whoever
 * comes second reads what the first has written.
 */
export async function lockReferrals(
  tx: Queryable,
  merchantId: string,
  refereeMemberIds: string[],
): Promise<Map<string, ReferralState>> {
  const rows = await tx.query<Row>(
    `SELECT ${columns} FROM referrals
     WHERE merchant_id = (SELECT $1::text) AND id = ANY(ARRAY(${ofReferees('id')})) ORDER BY id FOR UPDATE`,
    [merchantId, textArray(refereeMemberIds)],
  );
  return byReferee(rows);
}

/** Referrals by their ids. */
export async function readReferralsById(
  sql: Queryable,
  merchantId: string,
  ids: string[],
): Promise<Map<string, ReferralState>> {
  const rows = await sql.query<Row>(
    `SELECT r.* FROM unnest($2::text[]) AS wanted (id)
     CROSS JOIN LATERAL (
       SELECT ${columns} FROM referrals WHERE merchant_id = (SELECT $1::text) AND id = wanted.id OFFSET 0) r`,
    [merchantId, textArray(ids)],
  );
  return new Map(rows.map((row) => [row.id, referralOf(row)]));
}

function byReferee(rows: Row[]): Map<string, ReferralState> {
  return new Map(rows.map((row) => [row.referee_member_id, referralOf(row)]));
}

function referralOf(row: Row): ReferralState {
  return {
    id: row.id,
    code: row.code,
    referrerMemberId: row.referrer_member_id,
    refereeMemberId: row.referee_member_id,
    linkedAt: isoUtc(row.linked_at),
    review: row.review,
  };
}

import type { ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import { isoUtc } from '../client/timestamps.ts';

const columns = {
  id: 'text',
  code: 'text',
  referrerMemberId: 'text',
  refereeMemberId: 'text',
  review: 'text',
  linkedAt: 'text',
} as const;

const listOfRefereesSql = statement<ReferralState, [merchantId: string, memberIds: string]>({
  name: 'list referrals of referees',
  parameters: ['text', 'text[]'],
  columns,
  text: `
    SELECT id, code, referrer_member_id AS "referrerMemberId", referee_member_id AS "refereeMemberId", review,
      to_json(linked_at AT TIME ZONE 'UTC')::text AS "linkedAt"
    FROM unnest($2::text[]) AS wanted (member_id)
    CROSS JOIN LATERAL (
      SELECT * FROM referrals
      WHERE merchant_id = (SELECT $1::text)
        AND referee_member_id >= wanted.member_id AND referee_member_id <= wanted.member_id
      ORDER BY referee_member_id OFFSET 0) r`,
});

const lockOfRefereesSql = statement<ReferralState, [merchantId: string, memberIds: string]>({
  name: 'lock referrals of referees',
  parameters: ['text', 'text[]'],
  columns,
  text: `
    SELECT id, code, referrer_member_id AS "referrerMemberId", referee_member_id AS "refereeMemberId", review,
      to_json(linked_at AT TIME ZONE 'UTC')::text AS "linkedAt"
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
      ORDER BY id OFFSET 0 FOR UPDATE) r`,
});

const listByIdSql = statement<ReferralState, [merchantId: string, ids: string]>({
  name: 'list referrals by id',
  parameters: ['text', 'text[]'],
  columns,
  text: `
    SELECT id, code, referrer_member_id AS "referrerMemberId", referee_member_id AS "refereeMemberId", review,
      to_json(linked_at AT TIME ZONE 'UTC')::text AS "linkedAt"
    FROM unnest($2::text[]) AS wanted (wanted_id)
    CROSS JOIN LATERAL (
      SELECT * FROM referrals
      WHERE merchant_id = (SELECT $1::text) AND id >= wanted.wanted_id AND id <= wanted.wanted_id
      ORDER BY id OFFSET 0) r`,
});

/** Lists the referrals of referees, by referee. */
export async function listReferralStates(
  database: Queryable,
  merchantId: string,
  refereeMemberIds: string[],
): Promise<Map<string, ReferralState>> {
  return byReferee(await run(database, listOfRefereesSql, [merchantId, textArray(refereeMemberIds)]));
}

/**
 * Lists the referrals of referees and locks them: evaluations of one referee run one after the other, and the second
 * reads what the first has written. All evaluations lock in one order.
 */
export async function lockReferralStates(
  tx: Queryable,
  merchantId: string,
  refereeMemberIds: string[],
): Promise<Map<string, ReferralState>> {
  return byReferee(await run(tx, lockOfRefereesSql, [merchantId, textArray(refereeMemberIds)]));
}

/** Lists referrals by their ids. */
export async function listReferralStatesById(
  database: Queryable,
  merchantId: string,
  ids: string[],
): Promise<Map<string, ReferralState>> {
  const rows = await run(database, listByIdSql, [merchantId, textArray(ids)]);
  return new Map(rows.map((row) => [row.id, stateOf(row)]));
}

function byReferee(rows: ReferralState[]): Map<string, ReferralState> {
  return new Map(rows.map((row) => [row.refereeMemberId, stateOf(row)]));
}

function stateOf(row: ReferralState): ReferralState {
  return { ...row, linkedAt: isoUtc(row.linkedAt) };
}

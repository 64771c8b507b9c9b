import type { ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { rowsByKey } from '../client/rows-by-key.ts';
import { textArray } from '../client/sql-arrays.ts';
import { isoUtc, rawUtc } from '../client/timestamps.ts';

const columns = `id, code, referrer_member_id AS "referrerMemberId", referee_member_id AS "refereeMemberId", review,
  ${rawUtc('linked_at')} AS "linkedAt"`;

/** $1 merchant id, $2 member ids. */
const ofReferees = (selected: string) => `
  SELECT ${selected} FROM unnest($2::text[]) AS wanted (member_id)
  CROSS JOIN LATERAL ${rowsByKey('referrals', { column: 'referee_member_id', value: 'wanted.member_id' })} r`;

/** Lists the referrals of referees, by referee. */
export async function listReferralStates(
  database: Queryable,
  merchantId: string,
  refereeMemberIds: string[],
): Promise<Map<string, ReferralState>> {
  const values = [merchantId, textArray(refereeMemberIds)];
  return byReferee(await database.query<ReferralState>(ofReferees(columns), values));
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
  const rows = await tx.query<ReferralState>(
    `SELECT ${columns} FROM (${ofReferees('id AS wanted_id')} ORDER BY id) locked
     CROSS JOIN LATERAL ${rowsByKey('referrals', { column: 'id', value: 'locked.wanted_id', lock: 'FOR UPDATE' })} r`,
    [merchantId, textArray(refereeMemberIds)],
  );
  return byReferee(rows);
}

/** Lists referrals by their ids. */
export async function listReferralStatesById(
  database: Queryable,
  merchantId: string,
  ids: string[],
): Promise<Map<string, ReferralState>> {
  const rows = await database.query<ReferralState>(
    `SELECT ${columns} FROM unnest($2::text[]) AS wanted (wanted_id)
     CROSS JOIN LATERAL ${rowsByKey('referrals', { column: 'id', value: 'wanted.wanted_id' })} r`,
    [merchantId, textArray(ids)],
  );
  return new Map(rows.map((row) => [row.id, stateOf(row)]));
}

function byReferee(rows: ReferralState[]): Map<string, ReferralState> {
  return new Map(rows.map((row) => [row.refereeMemberId, stateOf(row)]));
}

function stateOf(row: ReferralState): ReferralState {
  return { ...row, linkedAt: isoUtc(row.linkedAt) };
}

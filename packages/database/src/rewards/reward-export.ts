import type { Sql, Queryable } from '../client/client.ts';
import { readInPages } from '../client/read-in-pages.ts';
import { run, statement } from '../client/statement.ts';
import type { RewardRole, RewardState } from '../states.ts';

/** A reward in an export. Date-times are ISO 8601 in UTC with microseconds. */
export interface RewardExport {
  reward_id: string;
  state: RewardState;
  role: RewardRole;
  member_id: string;
  order_id: string;
  type: string;
  amount: string;
  unit: string;
  program_version: number;
  referral_id: string;
  created_at: string;
  confirmed_at: string | null;
  ended_at: string | null;
}

/** The columns of an exported reward, in order: the header of its CSV file. */
export const rewardExportColumns = [
  'reward_id',
  'state',
  'role',
  'member_id',
  'order_id',
  'type',
  'amount',
  'unit',
  'program_version',
  'referral_id',
  'created_at',
  'confirmed_at',
  'ended_at',
] as const satisfies (keyof RewardExport)[];

export interface ExportFilter {
  /** Exports rewards created at or after this time; null for all. */
  since: string | null;
  /** Exports rewards in this state; null for all. */
  state: string | null;
  /** The number of rewards in memory at a time; default 1,000. */
  pageSize?: number;
}

const exportSql = statement<RewardExport, [merchantId: string, since: string | null, state: string | null]>({
  name: 'export rewards',
  parameters: ['text', 'timestamp with time zone', 'text'],
  columns: {
    reward_id: 'text',
    state: 'text',
    role: 'text',
    member_id: 'text',
    order_id: 'text',
    type: 'text',
    amount: 'bigint',
    unit: 'text',
    program_version: 'integer',
    referral_id: 'text',
    created_at: 'text',
    confirmed_at: 'text',
    ended_at: 'text',
  },
  text: `
    SELECT id AS reward_id, state, role, member_id, order_id, type, amount, unit, program_version, referral_id,
      rules.iso_utc(created_at) AS created_at, rules.iso_utc(confirmed_at) AS confirmed_at,
      rules.iso_utc(ended_at) AS ended_at
    FROM rewards
    WHERE merchant_id = $1
      AND ($2::timestamptz IS NULL OR rewards.created_at >= $2::timestamptz)
      AND ($3::text IS NULL OR state = $3::text)
    ORDER BY rewards.created_at, id`,
});

/** Visits a merchant's rewards page by page, oldest first. All pages come from one snapshot. */
export function streamRewards(
  database: Sql,
  merchantId: string,
  { since, state, pageSize = 1_000 }: ExportFilter,
  visit: (rewards: RewardExport[]) => Promise<void>,
): Promise<void> {
  const query = { sql: exportSql.text, values: [merchantId, since, state], pageSize };
  return readInPages(database, query, (rows) => visit(rows as RewardExport[]));
}

const startOfDaySql = statement<{ at: Date }, [merchantId: string, day: string]>({
  name: 'find the start of a day',
  parameters: ['text', 'text'],
  columns: { at: 'timestamp with time zone' },
  text: `
    SELECT ($2::text::date)::timestamp AT TIME ZONE rules.known_zone(timezone) AS at FROM merchants WHERE id = $1`,
});

/** The start of a day (`2026-11-21`) in the merchant's time zone; undefined for an unknown merchant. */
export async function startOfDay(
  database: Queryable,
  merchantId: string,
  day: string,
): Promise<Date | undefined> {
  const [row] = await run(database, startOfDaySql, [merchantId, day]);
  return row?.at;
}

import { packChecks, repeatsDecision } from '@rewardhook/rewards';
import type { Check, DecisionKey } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { bigint, integer, json, rowColumns, text, timestamptz } from '../client/row-columns.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import type { StoredOrder } from './order-states.ts';

/** A decision to store. `at` is ISO 8601 in UTC with microseconds. */
export interface DecisionRow extends DecisionKey {
  orderId: string;
  memberId: string;
  checks: Check[];
  at: string;
}

/** A row of `decisions`, without its merchant. */
interface StoredDecision extends Omit<DecisionRow, 'checks'> {
  number: number;
  checks: object;
}

const decisionColumns = rowColumns<StoredDecision>({
  orderId: text,
  number: integer,
  orderVersion: bigint,
  memberId: text,
  referralId: text,
  programVersion: integer,
  rule: text,
  outcome: text,
  reason: text,
  at: timestamptz,
  checks: json,
});

const insertDecisionsSql = statement<NoRow, [merchantId: string, ...decisions: string[]]>({
  name: 'insert decisions',
  parameters: ['text', ...decisionColumns.types],
  columns: {},
  text: `
    INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version,
      rule, outcome, reason, created_at, checks)
    SELECT $1, * FROM unnest($2::text[], $3::int[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::text[],
      $9::text[], $10::text[], $11::timestamptz[], $12::json[])`,
});

/** Inserts decisions, except those that repeat the newest one of their order. */
export async function insertDecisions(
  tx: Queryable,
  merchantId: string,
  decisions: DecisionRow[],
  orders: StoredOrder[],
): Promise<void> {
  const lastOf = new Map(orders.map(({ order, last }) => [order.orderId, last]));
  const added = decisions.filter((decision) => !repeatsDecision(decision, lastOf.get(decision.orderId)));
  if (added.length === 0) return;
  // Fields are written out: see decision-rows.ts.
  const rows = added.map((decision) => ({
    orderId: decision.orderId,
    number: (lastOf.get(decision.orderId)?.number ?? 0) + 1,
    orderVersion: decision.orderVersion,
    memberId: decision.memberId,
    referralId: decision.referralId,
    programVersion: decision.programVersion,
    rule: decision.rule,
    outcome: decision.outcome,
    reason: decision.reason,
    at: decision.at,
    checks: packChecks(decision.checks),
  }));
  await run(tx, insertDecisionsSql, [merchantId, ...decisionColumns.arraysOf(rows)]);
}

import { packChecks, repeatsDecision } from '@rewardhook/rewards';
import type { Check, DecisionKey } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { jsonTextArray, numberArray, textArray } from '../client/sql-arrays.ts';
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

const insertDecisionsSql = statement<
  NoRow,
  [
    merchantId: string,
    orderIds: string,
    numbers: string,
    orderVersions: string,
    memberIds: string,
    referralIds: string,
    programVersions: string,
    outcomes: string,
    reasons: string,
    times: string,
    checks: string,
  ]
>({
  name: 'insert decisions',
  parameters: [
    'text',
    'text[]',
    'integer[]',
    'bigint[]',
    'text[]',
    'text[]',
    'integer[]',
    'text[]',
    'text[]',
    'timestamp with time zone[]',
    'json[]',
  ],
  columns: {},
  text: `
    INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version,
      outcome, reason, created_at, checks)
    SELECT $1, * FROM unnest($2::text[], $3::int[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::text[],
      $9::text[], $10::timestamptz[], $11::json[])`,
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
  await run(tx, insertDecisionsSql, [
    merchantId,
    textArray(added.map(({ orderId }) => orderId)),
    numberArray(added.map(({ orderId }) => (lastOf.get(orderId)?.number ?? 0) + 1)),
    numberArray(added.map(({ orderVersion }) => orderVersion)),
    textArray(added.map(({ memberId }) => memberId)),
    textArray(added.map(({ referralId }) => referralId)),
    numberArray(added.map(({ programVersion }) => programVersion)),
    textArray(added.map(({ outcome }) => outcome)),
    textArray(added.map(({ reason }) => reason)),
    textArray(added.map(({ at }) => at)),
    jsonTextArray(added.map(({ checks }) => JSON.stringify(packChecks(checks)))),
  ]);
}

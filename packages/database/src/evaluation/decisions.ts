import { packChecks } from '@rewardhook/rewards';
import type { Check } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import type { LastDecision, StoredOrder } from './order-facts.ts';
import { numberArray, textArray } from '../client/sql-arrays.ts';

/** A decision to be stored. `at` is ISO 8601 in UTC with microseconds. */
export interface DecisionRow {
  orderId: string;
  orderVersion: number;
  memberId: string;
  referralId: string;
  programVersion: number;
  outcome: string;
  reason: string;
  checks: Check[];
  at: string;
}

/** Adds decisions. One that says what the last one of its order says already is left out. */
export async function insertDecisions(
  tx: Queryable,
  merchantId: string,
  decisions: DecisionRow[],
  orders: StoredOrder[],
): Promise<void> {
  const lastOf = new Map(orders.map(({ order, last }) => [order.orderId, last]));
  const news = decisions.filter((decision) => !saysTheSame(decision, lastOf.get(decision.orderId)));
  if (news.length === 0) return;
  await tx.query(
    `
    INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version,
      outcome, reason, created_at, checks)
    SELECT $1, * FROM ROWS FROM (
      unnest($2::text[], $3::int[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::text[], $9::text[],
        $10::timestamptz[]),
      json_array_elements($11::json))`,
    [
      merchantId,
      textArray(news.map(({ orderId }) => orderId)),
      numberArray(news.map(({ orderId }) => (lastOf.get(orderId)?.number ?? 0) + 1)),
      numberArray(news.map(({ orderVersion }) => orderVersion)),
      textArray(news.map(({ memberId }) => memberId)),
      textArray(news.map(({ referralId }) => referralId)),
      numberArray(news.map(({ programVersion }) => programVersion)),
      textArray(news.map(({ outcome }) => outcome)),
      textArray(news.map(({ reason }) => reason)),
      textArray(news.map(({ at }) => at)),
      JSON.stringify(news.map(({ checks }) => packChecks(checks))),
    ],
  );
}

function saysTheSame(decision: DecisionRow, last: LastDecision | undefined): boolean {
  return (
    last?.orderVersion === decision.orderVersion &&
    last.programVersion === decision.programVersion &&
    last.outcome === decision.outcome &&
    last.reason === decision.reason &&
    last.referralId === decision.referralId
  );
}

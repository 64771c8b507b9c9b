import type { Check, Program } from '@rewardhook/rewards';
import type { Database, Queryable } from './client.ts';
import { retryConflicts } from './conflicts.ts';
import { markOrdersOfMembers } from './due-judgements.ts';
import { lockReferrals, readDueOrders, readProgram } from './judgement-input.ts';
import type { DueOrder } from './judgement-input.ts';

export interface DecisionRow {
  id: string;
  orderId: string;
  orderVersion: number;
  memberId: string;
  referralId: string;
  programVersion: number;
  outcome: string;
  reason: string;
  checks: Check[];
}

export interface RewardRow {
  id: string;
  programId: string;
  programVersion: number;
  referralId: string;
  subject: string;
  role: string;
  memberId: string;
  orderId: string;
  type: string;
  amount: number;
  unit: string;
}

/** An event with its exact body; `announce` false stores it without deliveries. */
export interface EventRow {
  id: string;
  type: string;
  rewardId: string;
  body: string;
  announce: boolean;
}

/** What judging a batch of orders came to. */
export interface JudgementRows {
  /** Orders that are done with, at the version that was judged. */
  judged: { orderId: string; version: number }[];
  decisions: DecisionRow[];
  rewards: RewardRow[];
  /** Ids of confirmed rewards that are taken back. */
  revoked: string[];
  events: EventRow[];
  /** Members whose orders must be looked at again, because a reward fell away. */
  membersToReview: string[];
}

export interface JudgedBatch {
  decisions: DecisionRow[];
  /** Endpoints that have new deliveries. */
  endpointIds: string[];
  /** Orders that wait to be judged now. */
  reviewOrderIds: string[];
}

/**
 * Judges orders of a merchant: reads what waits, lets `decide` say what follows, and writes decisions,
 * rewards, events and deliveries, all in one transaction. `decide` must be pure: it runs again after a deadlock.
 */
export function judgeOrders(
  database: Database,
  merchantId: string,
  orderIds: string[],
  decide: (due: DueOrder[]) => JudgementRows,
): Promise<JudgedBatch> {
  return retryConflicts(() =>
    database.$transaction(async (tx) => {
      await lockReferrals(tx, merchantId, orderIds);
      const program = await readProgram(tx, merchantId);
      if (!program) throw new Error(`merchant ${merchantId} has no program`);
      return writeJudgements(
        tx,
        merchantId,
        decide(await readDueOrders(tx, merchantId, orderIds, program)),
        program,
      );
    }),
  );
}

async function writeJudgements(
  tx: Queryable,
  merchantId: string,
  rows: JudgementRows,
  program: Program,
): Promise<JudgedBatch> {
  if (rows.decisions.length > 0) await insertDecisions(tx, merchantId, rows.decisions);
  const changed = new Set([
    ...(rows.rewards.length > 0 ? await insertRewards(tx, merchantId, program.id, rows.rewards) : []),
    ...(rows.revoked.length > 0 ? await revokeRewards(tx, merchantId, rows.revoked) : []),
  ]);
  // An event tells of a change of state: no change, no event.
  const events = rows.events.filter(({ rewardId }) => changed.has(rewardId));
  const endpointIds = events.length > 0 ? await insertEvents(tx, merchantId, events) : [];
  if (rows.judged.length > 0) await deleteDue(tx, merchantId, rows.judged);
  const review = await markOrdersOfMembers(tx, merchantId, rows.membersToReview);
  return {
    decisions: rows.decisions,
    endpointIds,
    reviewOrderIds: review.flatMap(({ orderIds }) => orderIds),
  };
}

async function insertDecisions(tx: Queryable, merchantId: string, decisions: DecisionRow[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO decisions (merchant_id, id, order_id, order_version, member_id, referral_id, program_version,
      outcome, reason, checks)
    SELECT ${merchantId}, d."id", d."orderId", d."orderVersion", d."memberId", d."referralId", d."programVersion",
      d."outcome", d."reason", d."checks"
    FROM jsonb_to_recordset(${JSON.stringify(decisions)}::jsonb) AS d ("id" text, "orderId" text,
      "orderVersion" bigint, "memberId" text, "referralId" text, "programVersion" int, "outcome" text,
      "reason" text, "checks" jsonb)`;
}

/** Once each: the unique key of live rewards decides, whoever else may be at it. Returns the ids that were new. */
async function insertRewards(
  tx: Queryable,
  merchantId: string,
  programId: string,
  rewards: RewardRow[],
): Promise<string[]> {
  const inserted = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
      type, amount, unit, state, confirmed_at)
    SELECT ${merchantId}, r."id", ${programId}, r."programVersion", r."referralId", r."subject", r."role", r."memberId",
      r."orderId", r."type", r."amount", r."unit", 'confirmed', now()
    FROM jsonb_to_recordset(${JSON.stringify(rewards)}::jsonb) AS r ("id" text, "programVersion" int,
      "referralId" text, "subject" text, "role" text, "memberId" text, "orderId" text, "type" text, "amount" bigint,
      "unit" text)
    ON CONFLICT (merchant_id, program_id, subject, role) WHERE state IN ('pending', 'confirmed') DO NOTHING
    RETURNING id`;
  return inserted.map(({ id }) => id);
}

async function revokeRewards(tx: Queryable, merchantId: string, ids: string[]): Promise<string[]> {
  const revoked = await tx.$queryRaw<{ id: string }[]>`
    UPDATE rewards SET state = 'revoked', ended_at = now()
    WHERE merchant_id = ${merchantId} AND id = ANY(${ids}) AND state = 'confirmed' RETURNING id`;
  return revoked.map(({ id }) => id);
}

/** One delivery per event and endpoint that registered its type; those of a disabled endpoint are held. */
async function insertEvents(tx: Queryable, merchantId: string, events: EventRow[]): Promise<string[]> {
  const endpoints = await tx.$queryRaw<{ endpoint_id: string }[]>`
    WITH told AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb) AS e ("id" text, "type" text,
        "rewardId" text, "body" text, "announce" boolean)
    ), stored AS (
      INSERT INTO events (merchant_id, id, type, reward_id, body)
      SELECT ${merchantId}, "id", "type", "rewardId", "body" FROM told
    ), made AS (
      INSERT INTO deliveries (id, merchant_id, event_id, endpoint_id, state, next_attempt_at)
      SELECT gen_random_uuid(), ${merchantId}, told."id", p.id,
        CASE WHEN p.disabled_at IS NULL THEN 'pending' ELSE 'held' END,
        CASE WHEN p.disabled_at IS NULL THEN now() END
      FROM told JOIN endpoints p ON p.merchant_id = ${merchantId} AND told."type" = ANY(p.event_types)
      WHERE told."announce" AND p.deleted_at IS NULL
      RETURNING endpoint_id, state
    )
    SELECT DISTINCT endpoint_id FROM made WHERE state = 'pending'`;
  return endpoints.map(({ endpoint_id }) => endpoint_id);
}

/** An order that changed since it was read stays due: its newer version is judged next. */
async function deleteDue(tx: Queryable, merchantId: string, judged: JudgementRows['judged']): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM due_judgements due
    USING jsonb_to_recordset(${JSON.stringify(judged)}::jsonb) AS j ("orderId" text, "version" bigint)
    WHERE due.merchant_id = ${merchantId} AND due.order_id = j."orderId" AND due.version <= j."version"`;
}

import { counterfactual, counterfactualText, evaluateOrder } from '@rewardhook/rewards';
import type { Check, Counterfactual } from '@rewardhook/rewards';
import type { Database } from '../client/client.ts';
import { isTransient } from '../client/database-errors.ts';
import { readOrderTimeline } from './order-timeline.ts';
import type { TimelineEntry } from './order-timeline.ts';

/** Why an order earned what it did. Date-times are ISO 8601 in UTC. */
export interface Explanation {
  order_id: string;
  member_id: string;
  version: number;
  referral: {
    id: string;
    referrer_member_id: string;
    referee_member_id: string;
    linked_at: string;
    review: string;
  } | null;
  /** The version of the program that `decision` was made under. */
  program: { id: string; version: number };
  waits_for_judgement: boolean;
  /** Since when its evaluation is set aside, because it failed repeatedly, until the operator retries it; or null. */
  evaluation_failed_since: string | null;
  /** What was decided last; of an order that was never evaluated, how it would be now. */
  decision: Result;
  /** The stored row of `decision`; null when nothing is stored. */
  stored_decision: {
    number: number;
    decided_at: string;
    order_version: number;
    program_version: number;
  } | null;
  /** How the newest state would be evaluated now: under the newest version, or the one that its reward was given under. */
  today: Result & { program: { id: string; version: number } };
  /** "It would earn … if …", as of today, where a change would do. */
  counterfactual: string | null;
  /** The same as codes and parameters. */
  counterfactual_parts: Counterfactual | null;
  /** What happened so far, oldest first. */
  timeline: TimelineEntry[];
}

/** What an evaluation comes to. */
interface Result {
  outcome: string;
  reason: string;
  checks: Check[];
}

/** Explains an order; undefined when the merchant has no such order. */
export async function explainOrder(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<Explanation | undefined> {
  const timeline = await readOrderTimeline(database, merchantId, orderId).catch(async (error: unknown) => {
    if (isTransient(error)) throw error;
    const failed = await explainFailure(database, merchantId, orderId);
    if (!failed) throw error;
    return failed;
  });
  if (!timeline || 'order_id' in timeline) return timeline;
  const { decision: stored } = timeline;
  const { order, referral } = timeline.input;
  const { program, outcome, reason, checks } = evaluateOrder(timeline.input);
  const parts = counterfactual(timeline.input) ?? null;
  const today = { program: { id: program.id, version: program.version }, outcome, reason, checks };
  return {
    order_id: order.orderId,
    member_id: order.memberId,
    version: order.version,
    referral: referral && {
      id: referral.id,
      referrer_member_id: referral.referrerMemberId,
      referee_member_id: referral.refereeMemberId,
      linked_at: referral.linkedAt,
      review: referral.review,
    },
    program: stored ? { id: program.id, version: stored.programVersion } : today.program,
    waits_for_judgement: timeline.waits,
    evaluation_failed_since: timeline.parkedSince,
    decision: stored
      ? { outcome: stored.outcome, reason: stored.reason, checks: stored.checks }
      : { outcome, reason, checks },
    stored_decision: stored && {
      number: stored.number,
      decided_at: stored.decidedAt,
      order_version: stored.orderVersion,
      program_version: stored.programVersion,
    },
    today,
    counterfactual: parts && counterfactualText(parts),
    counterfactual_parts: parts,
    timeline: timeline.happenings,
  };
}

/**
 * What can be said of an order that the rules cannot be applied to: its evaluation fails, and so would an explanation.
 * Undefined unless it is set aside.
 */
async function explainFailure(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<Explanation | undefined> {
  const [order, parked, program] = await Promise.all([
    database.order.findUnique({ where: { merchantId_orderId: { merchantId, orderId } } }),
    database.dueBatch.findFirst({
      where: { merchantId, orderIds: { has: orderId }, parkedAt: { not: null } },
      orderBy: { parkedAt: 'asc' },
    }),
    database.programVersion.findFirst({ where: { merchantId }, orderBy: { version: 'desc' } }),
  ]);
  if (!order || !parked?.parkedAt || !program) return undefined;
  const result = { outcome: 'no_reward', reason: 'evaluation_failed', checks: [] };
  const inForce = { id: program.programId, version: program.version };
  return {
    order_id: orderId,
    member_id: order.memberId,
    version: Number(order.version),
    referral: null,
    program: inForce,
    waits_for_judgement: false,
    evaluation_failed_since: parked.parkedAt.toISOString(),
    decision: result,
    stored_decision: null,
    today: { ...result, program: inForce },
    counterfactual: null,
    counterfactual_parts: null,
    timeline: [],
  };
}

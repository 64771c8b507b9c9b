import { counterfactual, counterfactualText, judge } from '@rewardhook/rewards';
import type { Check, Counterfactual } from '@rewardhook/rewards';
import type { Database } from './client.ts';
import { isTransient } from './conflicts.ts';
import { readOrderStory } from './explanations.ts';
import type { Happening } from './explanations.ts';

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
  /** The version of the program that `verdict` was made under. */
  program: { id: string; version: number };
  waits_for_judgement: boolean;
  /** Since when its evaluation is set aside, because it failed repeatedly, until the operator retries it; or null. */
  evaluation_failed_since: string | null;
  /** What was decided last; of an order that was never evaluated, how it would be now. */
  verdict: Result;
  /** The stored decision that `verdict` tells of; null when there is none. */
  decision: { number: number; decided_at: string; order_version: number; program_version: number } | null;
  /** How the newest state would be evaluated now: under the newest version, or the one that its reward was given under. */
  today: Result & { program: { id: string; version: number } };
  /** "It would earn … if …", as of today, where a change would do. */
  counterfactual: string | null;
  /** The same as codes and parameters. */
  counterfactual_parts: Counterfactual | null;
  /** What happened so far, oldest first. */
  story: Happening[];
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
  const story = await readOrderStory(database, merchantId, orderId).catch(async (error: unknown) => {
    if (isTransient(error)) throw error;
    const failed = await explainFailure(database, merchantId, orderId);
    if (!failed) throw error;
    return failed;
  });
  if (!story || 'order_id' in story) return story;
  const { decision } = story;
  const { order, referral } = story.input;
  const { program, outcome, reason, checks } = judge(story.input);
  const parts = counterfactual(story.input) ?? null;
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
    program: decision ? { id: program.id, version: decision.programVersion } : today.program,
    waits_for_judgement: story.waits,
    evaluation_failed_since: story.parkedSince,
    verdict: decision
      ? { outcome: decision.outcome, reason: decision.reason, checks: decision.checks }
      : { outcome, reason, checks },
    decision: decision && {
      number: decision.number,
      decided_at: decision.decidedAt,
      order_version: decision.orderVersion,
      program_version: decision.programVersion,
    },
    today,
    counterfactual: parts && counterfactualText(parts),
    counterfactual_parts: parts,
    story: story.happenings,
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
  const result = { outcome: 'nothing', reason: 'evaluation_failed', checks: [] };
  const inForce = { id: program.programId, version: program.version };
  return {
    order_id: orderId,
    member_id: order.memberId,
    version: Number(order.version),
    referral: null,
    program: inForce,
    waits_for_judgement: false,
    evaluation_failed_since: parked.parkedAt.toISOString(),
    verdict: result,
    decision: null,
    today: { ...result, program: inForce },
    counterfactual: null,
    counterfactual_parts: null,
    story: [],
  };
}

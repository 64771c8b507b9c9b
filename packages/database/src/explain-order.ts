import { counterfactual, counterfactualText, judge } from '@rewardhook/rewards';
import type { Check, Counterfactual } from '@rewardhook/rewards';
import type { Database } from './client.ts';
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
  const story = await readOrderStory(database, merchantId, orderId);
  if (!story) return undefined;
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

import type { Check } from './checks.ts';
import { counterfactualText, findCounterfactual } from './counterfactual.ts';
import type { Counterfactual } from './counterfactual.ts';
import { evaluateOrder } from './evaluate-order.ts';
import type { EvaluationInput } from './evaluation-input.ts';
import type { ReviewState } from './referral.ts';

/** An entry of an order's timeline. `what` determines the other fields. `at` is ISO 8601 in UTC. */
export interface TimelineEntry {
  at: string;
  what: string;
  [detail: string]: unknown;
}

/** A stored decision about an order. */
export interface StoredDecision {
  number: number;
  /** ISO 8601 in UTC. */
  decidedAt: string;
  orderVersion: number;
  programVersion: number;
  rule: string | null;
  outcome: string;
  reason: string;
  checks: Check[];
}

/** What is stored about an order, read in one snapshot. */
export interface OrderHistory {
  input: EvaluationInput;
  /** Whether an evaluation of the order is due. */
  evaluationDue: boolean;
  /** Since when its evaluation is parked because it failed repeatedly, ISO 8601 in UTC; null when it is not. */
  parkedSince: string | null;
  /** The id that the order was sent with, when that is an alias of its member. */
  sentMemberId: string | null;
  /** The newest decision; null when there is none, or when it was made while the order belonged to another member. */
  decision: StoredDecision | null;
  timeline: TimelineEntry[];
  /** Of an order whose member was not referred: the ids of referred members that look like the member's. */
  similarMemberIds: string[];
}

/** What an evaluation decided. */
interface DecisionSummary {
  /** The rule that decided, or whose failed condition is the reason; null when it is a check that all rules share. */
  rule: string | null;
  outcome: string;
  reason: string;
  checks: Check[];
}

/** Why an order earned what it did: the JSON of the explain call. Date-times are ISO 8601 in UTC. */
export interface OrderExplanation {
  order_id: string;
  member_id: string;
  /** The id that the order was sent with, when that member was merged into `member_id`; else null. */
  sent_member_id: string | null;
  version: number;
  referral: {
    id: string;
    referrer_member_id: string;
    referee_member_id: string;
    linked_at: string;
    review: ReviewState;
  } | null;
  /** Referred members whose id looks like `member_id`, such as `kim` and `Kim`: at most three, none if this member was referred. */
  similar_members: string[];
  /** The version of the program under which `decision` was made. */
  program: { id: string; version: number };
  waits_for_evaluation: boolean;
  /** Since when its evaluation is parked because it failed repeatedly, until the operator retries it; or null. */
  evaluation_failed_since: string | null;
  /** The newest decision; of an order that was never evaluated, the decision that an evaluation would make now. */
  decision: DecisionSummary;
  /** The stored row of `decision`; null when nothing is stored. */
  stored_decision: {
    number: number;
    decided_at: string;
    order_version: number;
    program_version: number;
  } | null;
  /** The decision that an evaluation would make now, under the newest version or the one its reward was given under. */
  today: DecisionSummary & { program: { id: string; version: number } };
  /** "It would earn … if …" in English, as of today; null when no condition would help. */
  counterfactual: string | null;
  /** The same as codes and parameters. */
  counterfactual_parts: Counterfactual | null;
  /** Oldest first. */
  timeline: TimelineEntry[];
}

/** Explains an order: its stored decision, and what an evaluation would decide now. Pure. */
export function explain(history: OrderHistory): OrderExplanation {
  const { input, decision: stored } = history;
  const { order, referral } = input;
  const { program, rule, outcome, reason, checks } = evaluateOrder(input);
  const today = { program: { id: program.id, version: program.version }, rule, outcome, reason, checks };
  const counterfactual = findCounterfactual(input) ?? null;
  return {
    order_id: order.orderId,
    member_id: order.memberId,
    sent_member_id: history.sentMemberId,
    version: order.version,
    referral: referral && {
      id: referral.id,
      referrer_member_id: referral.referrerMemberId,
      referee_member_id: referral.refereeMemberId,
      linked_at: referral.linkedAt,
      review: referral.review,
    },
    similar_members: history.similarMemberIds,
    program: stored ? { id: program.id, version: stored.programVersion } : today.program,
    waits_for_evaluation: history.evaluationDue,
    evaluation_failed_since: history.parkedSince,
    decision: stored
      ? { rule: stored.rule, outcome: stored.outcome, reason: stored.reason, checks: stored.checks }
      : { rule, outcome, reason, checks },
    stored_decision: stored && {
      number: stored.number,
      decided_at: stored.decidedAt,
      order_version: stored.orderVersion,
      program_version: stored.programVersion,
    },
    today,
    counterfactual: counterfactual && counterfactualText(counterfactual),
    counterfactual_parts: counterfactual,
    timeline: history.timeline,
  };
}

/** A parked order whose evaluation input cannot be read. */
export interface UnreadableOrder {
  orderId: string;
  memberId: string;
  /** As in {@link OrderHistory}. */
  sentMemberId: string | null;
  version: number;
  /** The program in force. */
  program: { id: string; version: number };
  /** ISO 8601 in UTC. */
  parkedSince: string;
}

/** Explains an order that cannot be evaluated: reading its input fails as its evaluation did. */
export function explainUnreadable(order: UnreadableOrder): OrderExplanation {
  const decision = { rule: null, outcome: 'no_reward', reason: 'evaluation_failed', checks: [] };
  return {
    order_id: order.orderId,
    member_id: order.memberId,
    sent_member_id: order.sentMemberId,
    version: order.version,
    referral: null,
    similar_members: [],
    program: order.program,
    waits_for_evaluation: false,
    evaluation_failed_since: order.parkedSince,
    decision,
    stored_decision: null,
    today: { ...decision, program: order.program },
    counterfactual: null,
    counterfactual_parts: null,
    timeline: [],
  };
}

import { notYetRewardedCheck, ruleChecks } from './apply-checks.ts';
import type { Check } from './checks.ts';
import { draftRewards } from './draft-rewards.ts';
import { holdsReferral, isLive, isOfReferral, standsAfterMerge } from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput, OrderState } from './evaluation-input.ts';
import type { Program, Rule } from './program.ts';
import { usageWithout } from './program-usage.ts';
import type { ReferralState } from './referral.ts';

/** The rule of a version that an order meets. */
export interface FoundRule {
  /** The first rule whose conditions pass, or for which the order waits; the last one when there is none. */
  rule: Rule;
  /** Whether its conditions pass, or would when another order has lost the reward. */
  applies: boolean;
  /** The first failed check of each rule before it. */
  tried: Check[];
  /** The checks of its conditions. */
  conditions: Check[];
  /** Whether the order lacks only the reward of a later order: it would earn at least one role's. */
  contends: boolean;
}

/** What a reward of a rule is given for, once per role. */
export function subjectOf(
  { trigger }: Rule,
  { orderId }: OrderState,
  referral: ReferralState | null,
): string {
  return trigger === 'first_order' ? `referral:${referral?.id}` : `order:${orderId}`;
}

/**
 * Tries the rules of a version in their order. All first-order rules together give a referral one reward a role. When another order has it
 * that comes before this one, the next rule is tried. One that comes after it loses the reward if this rule gives something; until then, and
 * when the other one no longer counts as the first, this order waits: no other rule is tried. What was given before a merge stays.
 */
export function findRule(input: EvaluationInput, program: Program): FoundRule {
  const { order, referral, earlierPaidOrder, holder } = input;
  const { rules } = program.terms;
  const tried: Check[] = [];
  for (const [index, rule] of rules.entries()) {
    const conditions = ruleChecks(order, referral, earlierPaidOrder, rule);
    let failed = conditions.find(({ passed }) => !passed);
    const found = { rule, tried, conditions, contends: false };
    const other = rewardOfOther(input, rule);
    if (other !== undefined) {
      const check = notYetRewardedCheck(other?.orderId ?? null);
      conditions.push(check);
      if (!failed && other && holder !== 'earlier' && !standsAfterMerge(other)) {
        const contends = wouldGive(input, rule);
        if (contends || holder === 'leaving') return { ...found, applies: true, contends };
      }
      if (!check.passed) failed ??= check;
    }
    if (!failed) return { ...found, applies: true };
    if (index === rules.length - 1) return { ...found, applies: false };
    tried.push({ ...failed, rule: rule.id });
  }
  throw new Error(`version ${program.version} of the program has no rule`);
}

/**
 * The live reward of the referral that another order has; null for none. One of a referral that ended when its referee was merged counts too,
 * and first, because it stands; not for an order that has such a reward itself. Undefined for a rule that gives no such reward.
 */
function rewardOfOther({ order, referral, rewards }: EvaluationInput, rule: Rule) {
  if (rule.trigger !== 'first_order' || (rule.referee === null && rule.referrer === null)) return undefined;
  const subject = subjectOf(rule, order, referral);
  const others = rewards.filter((reward) => isLive(reward) && reward.orderId !== order.orderId);
  const isOfMerged = (reward: EarlierReward) =>
    isOfReferral(reward) && referral?.mergedIds.includes(reward.referral.id) === true;
  const ofMerged = holdsReferral(order, rewards) ? undefined : others.find(isOfMerged);
  return ofMerged ?? others.find((reward) => reward.subject === subject) ?? null;
}

/** Whether an order would earn something once another one has lost its reward, which then no longer counts against a limit. */
function wouldGive(input: EvaluationInput, rule: Rule): boolean {
  const { order, referral, rewards } = input;
  if (!referral) return false;
  const subject = subjectOf(rule, order, referral);
  const others = rewards.filter((reward) => isLive(reward) && reward.subject === subject);
  const usage = usageWithout(input.usage, others, { referral, month: order.month });
  const drafted = { referral, subject, rule, roles: ['referee', 'referrer'] as const };
  return draftRewards({ ...input, usage }, drafted).give.length > 0;
}

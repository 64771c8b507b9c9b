import { checkNames, checks, conditionOf, satisfyCheck, textParameters } from './checks.ts';
import type { Condition } from './checks.ts';
import { evaluateOrder } from './evaluate-order.ts';
import { ruleOf } from './program.ts';
import type { RewardDraft } from './draft-rewards.ts';
import { isLive } from './evaluation-input.ts';
import type { EvaluationInput } from './evaluation-input.ts';

/** What an order would earn if all conditions held. */
export interface Counterfactual {
  earns: Pick<RewardDraft, 'role' | 'type' | 'amount' | 'unit'>[];
  conditions: Condition[];
}

/**
 * Finds what would have to be different for an order to earn a reward. Undefined when the order has a live reward,
 * and when no change of the checked values would help.
 */
export function findCounterfactual(input: EvaluationInput): Counterfactual | undefined {
  const isOwn = (reward: EvaluationInput['rewards'][number]) =>
    reward.orderId === input.order.orderId && isLive(reward);
  // Existing rewards of the order are ignored: the result is what it would earn without them.
  let changed: EvaluationInput = { ...input, rewards: input.rewards.filter((reward) => !isOwn(reward)) };
  if (input.rewards.some(isOwn) && evaluateOrder(input).outcome !== 'withdrawn') return undefined;
  const conditions: Condition[] = [];
  // When one check passes, the next one can fail: limits are checked last.
  for (let round = 0; round < checkNames.length; round += 1) {
    const { program, reported, checks: results, give } = evaluateOrder(changed);
    // Not those of rules that were tried before: an order that meets the reported one earns as well.
    const failed = results.filter(({ passed, rule }) => !passed && rule === undefined);
    if (failed.length === 0) {
      if (conditions.length === 0 || give.length === 0) return undefined;
      return {
        earns: give.map(({ role, type, amount, unit }) => ({ role, type, amount, unit })),
        conditions,
      };
    }
    for (const check of failed) {
      conditions.push(conditionOf(check));
      changed = satisfyCheck(changed, check, ruleOf(program, reported));
    }
  }
  return undefined;
}

const formatNumber = new Intl.NumberFormat('en').format;

/** A counterfactual as an English sentence: "It would earn … if …". */
export function counterfactualText({ earns, conditions }: Counterfactual): string {
  const earned = earns.map(({ role, amount, unit }) => `${formatNumber(amount)} ${unit} for the ${role}`);
  return `It would earn ${earned.join(' and ')} if ${conditions.map(conditionText).join(' and ')}.`;
}

function conditionText(condition: Condition): string {
  const { amount, ...others } = textParameters(condition);
  const values = { ...others, ...(amount === undefined ? {} : { amount: formatNumber(amount) }) };
  return Object.entries(values).reduce<string>(
    (text, [name, value]) => text.replace(`{{${name}}}`, () => String(value)),
    checks[condition.code].condition,
  );
}

export { reasons } from './checks.ts';
export type { Check, Given, Reason } from './checks.ts';
export { counterfactual } from './counterfactual.ts';
export type { EarlierReward, OrderFacts, ReferralFacts, Role } from './facts.ts';
export { judge } from './judge.ts';
export type { Judgement, JudgementInput, RewardDraft } from './judge.ts';
export { parseRule, RuleError } from './parse-rule.ts';
export { defaultRule } from './program.ts';
export type { Benefit, Program, ProgramRule } from './program.ts';

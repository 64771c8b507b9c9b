export {
  checkNames,
  checks,
  conditionOf,
  failedCheck,
  packChecks,
  textParameters,
  unpackChecks,
} from './checks.ts';
export type { Check, CheckName, Condition, PackedCheck } from './checks.ts';
export type { Comparison, Difference, Total } from './compare-rewards.ts';
export type { Counterfactual } from './counterfactual.ts';
export { openContenders } from './contenders.ts';
export type { Contenders } from './contenders.ts';
export { correctOrder, mostNamed, nameRewards } from './correct-order.ts';
export type {
  Correction,
  CorrectionChanges,
  CorrectionInput,
  CorrectionRefusal,
  NamedReward,
} from './correct-order.ts';
export type { RewardDraft } from './draft-rewards.ts';
export { sumProducts } from './eligible-products.ts';
export { evaluateOrder, followsRules, isAdjustable, repeatsDecision } from './evaluate-order.ts';
export type { Decision, DecisionKey } from './evaluate-order.ts';
export {
  cancellationOf,
  countsAsPaid,
  holdsReferral,
  isErasedMember,
  isLive,
  isOfReferral,
  manualSubject,
  newErasedMemberId,
  paidNow,
} from './evaluation-input.ts';
export type {
  EarlierReward,
  EvaluationInput,
  OrderProduct,
  OrderState,
  ProductSums,
  RewardCorrection,
  RewardState,
} from './evaluation-input.ts';
export { explain, explainUnreadable } from './explain-order.ts';
export type { OrderExplanation, OrderHistory, StoredDecision, TimelineEntry } from './explain-order.ts';
export { firstOrderHolder } from './first-order-holder.ts';
export { compareAge, compareIds } from './order-age.ts';
export { parseTerms } from './parse-terms.ts';
export type { FlatTerms } from './parse-terms.ts';
export { previewMove } from './preview-move.ts';
export type { MoveEffects } from './preview-move.ts';
export { openUsageCounter } from './program-usage.ts';
export type { LimitUsage, ProgramUsage, UsageCounter } from './program-usage.ts';
export {
  budgetOf,
  defaultTerms,
  hasEveryOrderRule,
  hasFirstOrderRule,
  productFiltersOf,
  readTerms,
  validDaysOf,
} from './program.ts';
export type { Benefit, ProductFilter, ProductLists, Program, Rule, Terms } from './program.ts';
export { reasonCodes, reasons } from './reasons.ts';
export type { ReasonCode } from './reasons.ts';
export { linkInForce } from './referral.ts';
export type { LinkState, ReferralEnd, ReferralState, ReviewState, Role, StoredReferral } from './referral.ts';
export { hasEarned, referredRevenue } from './referred-revenue.ts';
export { findRelatedOrders } from './related-orders.ts';
export type { RelatedOrders, RelatedOrdersInput } from './related-orders.ts';
export { openSimulation } from './simulate.ts';
export type { SimulatedOrder, Simulation, SimulationReport, RuleTotal } from './simulate.ts';
export { termsDifferences } from './terms-differences.ts';
export { TermsError } from './terms-error.ts';
export { daysAfter, isBefore, laterOf } from './timestamps.ts';

import {
  amountKeptCheck,
  budgetChecks,
  earlierFirstOrderCheck,
  revocationNotifiedChecks,
  ruleChecks,
  ruleKeptCheck,
  sharedChecks,
} from './apply-checks.ts';
import { failureOf } from './checks.ts';
import type { Check } from './checks.ts';
import { amountOf, doubleGrantChecks, draftRewards, holdEndOf, isAfter } from './draft-rewards.ts';
import type { RewardDraft } from './draft-rewards.ts';
import { standsAfterMerge, isLive, isManual, isOfReferral } from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput } from './evaluation-input.ts';
import { findRule, subjectOf } from './find-rule.ts';
import { ruleOf } from './program.ts';
import type { Program, Rule } from './program.ts';
import type { ReasonCode } from './reasons.ts';
import { isUnderReview } from './referral.ts';
import type { ReferralState, Role } from './referral.ts';

/** The result of an evaluation. */
export interface Decision {
  /** The version of the program that was applied. For an order that has rewards, the one they were given under. */
  program: Program;
  /** The rule that decided, or whose failed condition is the reason; null when it is a check that all rules share. */
  rule: string | null;
  /** The rule whose conditions are among the checks. */
  reported: string;
  /**
   * `rewarded`: new rewards. `confirmed`: pending rewards become confirmed. `adjusted`: the amounts follow the order. `kept`: the
   * rewards stand unchanged. `withdrawn`: the rewards are taken back. `no_reward`: none existed and none is given.
   */
  outcome: 'rewarded' | 'confirmed' | 'adjusted' | 'kept' | 'withdrawn' | 'no_reward';
  reason: ReasonCode;
  checks: Check[];
  /** Whether the order lacks only the reward that another order of its referral has: it would earn at least one role's. */
  contends: boolean;
  give: RewardDraft[];
  /** Pending rewards whose amount or month is another one; with the new values. */
  amend: { from: EarlierReward; to: EarlierReward }[];
  /** Confirmed rewards that are revoked and given again with another amount. */
  adjust: { from: EarlierReward; amount: number }[];
  /** Pending rewards whose hold has ended; `deliver` as in a draft. */
  confirm: { reward: EarlierReward; deliver: boolean }[];
  /** Pending rewards whose hold ends at another time than before, because the payment or the order has another time. */
  reschedule: { reward: EarlierReward; confirmDueAt: string }[];
  /** Pending ones are cancelled, confirmed ones revoked. */
  withdraw: EarlierReward[];
}

const bothRoles: Role[] = ['referee', 'referrer'];

/** Evaluates one order in its newest state against the program. Pure: the same input gives the same decision. */
export function evaluateOrder(input: EvaluationInput): Decision {
  const { order, rewards } = input;
  // Rewards by hand are not the rule's to keep or to withdraw. Revoked ones count: a webhook may have granted them.
  const live = rewards.filter(
    (reward) => isLive(reward) && !isManual(reward) && reward.orderId === order.orderId,
  );
  const kept = withdrawKept(input, live.filter(standsAfterMerge));
  if (kept) return kept;
  const own = live.filter((reward) => !standsAfterMerge(reward));
  return own.length > 0 ? reevaluate(input, own) : evaluateNew(input);
}

/**
 * Withdraws the rewards that an order had before a merge, when the order itself is no longer entitled to one: paid back, cancelled or
 * returned. Undefined while they stand. After a withdrawal the order is evaluated again.
 */
function withdrawKept(input: EvaluationInput, kept: EarlierReward[]): Decision | undefined {
  const [first] = kept;
  if (!first) return undefined;
  const { order } = input;
  const { program } = first;
  // Who is linked, and since when, no longer matters.
  const referral = { ...first.referral, fromOrderId: null };
  const rule = {
    ...ruleOf(program, first.rule),
    ...{ earlierOrders: 'count' as const, windowDays: null, linkedFrom: null, linkedUntil: null },
  };
  const checks = [...sharedChecks(order, referral), ...ruleChecks(order, referral, null, rule)];
  const failed = failureOf(checks);
  return failed && { ...decision(program, rule, 'withdrawn', failed, checks), withdraw: kept };
}

/**
 * Decides whether the live rewards of an order are kept, and their amounts, under the version that they were given under. Its rules are tried
 * again; when another one applies, or none, the rewards are withdrawn. Those that must stand do so while the conditions of their own rule pass.
 */
function reevaluate(input: EvaluationInput, own: EarlierReward[]): Decision {
  const { now, order, referral, earlierPaidOrder } = input;
  const [{ program, subject, rule: ruleId }] = own as [EarlierReward];
  const pinned = ruleOf(program, ruleId);
  const shared = sharedChecks(order, referral);
  const found = findRule(input, program);
  const follows = own.every(canChangeRule);
  const another = found.applies && found.rule !== pinned ? found.rule : undefined;
  const before = follows ? found.tried.filter(({ rule }) => rule !== pinned.id) : [];
  // Without the condition of new rewards that no other order has them.
  const checks = [...shared, ...before, ...ruleChecks(order, referral, earlierPaidOrder, pinned)];
  const failedShared = failureOf(shared);
  if (failedShared || !referral) {
    const reason = failedShared ?? 'member_not_linked';
    return { ...decision(program, pinned, 'withdrawn', reason, checks), rule: null, withdraw: own };
  }
  if (follows && another)
    return { ...decision(program, pinned, 'withdrawn', 'rule_changed', checks), withdraw: own };
  if (input.earlierFirstOrder !== null && own.some(isOfReferral))
    checks.push(earlierFirstOrderCheck(input.earlierFirstOrder));
  const movedToOtherReferral = own.some(
    (reward) =>
      reward.referral.id !== referral.id ||
      (reward.referral.moves === referral.moves && reward.referral.source !== referral.source),
  );
  const failed = failureOf(checks) ?? (movedToOtherReferral ? 'member_not_linked' : undefined);
  if (failed) return { ...decision(program, pinned, 'withdrawn', failed, checks), withdraw: own };
  if (another) checks.push(ruleKeptCheck(another.id, pinned.id));
  // What is withdrawn is evaluated again: what the new referrer gets, and what else follows the order, is decided then.
  const ofFormerReferrer = own.filter((reward) => isOfFormerReferrer(reward, referral));
  if (ofFormerReferrer.length > 0)
    return { ...decision(program, pinned, 'withdrawn', 'link_moved', checks), withdraw: ofFormerReferrer };

  const { amend, adjust, withdraw, notes, spent } = followOrder(input, own);
  const kept = own.filter((reward) => !withdraw.includes(reward));
  // The amount of a role that came to nothing before, or did not fit, follows the order too.
  const missing = bothRoles.filter((role) => own.every((reward) => reward.role !== role));
  const { give, notes: ofGiven } = draftRewards(
    { ...input, usage: { ...input.usage, spent } },
    { referral, subject, rule: pinned, roles: missing },
  );
  checks.push(...notes, ...ofGiven);
  if (kept.length === 0 && give.length === 0)
    return { ...decision(program, pinned, 'withdrawn', 'nothing_to_give', checks), withdraw };

  const pending = kept.filter(({ state }) => state === 'pending');
  const reschedule = pending.flatMap((reward) => {
    const confirmDueAt = holdEndOf(order, reward.holdDays);
    // A hold that was enqueued before its end, by another clock, is enqueued again.
    const early = reward.holdEnqueued && isAfter(confirmDueAt, now);
    return confirmDueAt !== null && (confirmDueAt !== reward.confirmDueAt || early)
      ? { reward, confirmDueAt }
      : [];
  });
  const confirm = pending
    .filter(({ holdDays }) => !isUnderReview(referral) && !isAfter(holdEndOf(order, holdDays), now))
    .map((reward) => {
      const guard = doubleGrantChecks(input, referral, reward.subject, reward.role);
      checks.push(...guard);
      const amended = amend.find(({ from }) => from === reward)?.to ?? reward;
      return { reward: amended, deliver: guard.length === 0 };
    });
  const changes = { give, amend, adjust, confirm, reschedule, withdraw };
  if (confirm.length > 0)
    return { ...decision(program, pinned, 'confirmed', 'rewarded', checks), ...changes };
  const changesAmounts = amend.length + adjust.length + withdraw.length + give.length > 0;
  const waits = pending.length > 0 || give.some((draft) => draft.pending);
  const reason = waits ? pendingReason(referral) : 'rewarded';
  return { ...decision(program, pinned, changesAmounts ? 'adjusted' : 'kept', reason, checks), ...changes };
}

/**
 * What becomes of the amounts of an order's live rewards in its newest state. A pending one follows it, its month too. A confirmed
 * one follows it if its terms say so and every webhook that was notified of it can be notified of its revocation. One that comes to 0
 * is withdrawn. An increase must fit into the budget of the program in force.
 */
function followOrder(
  { order, program: { terms }, usage }: EvaluationInput,
  own: EarlierReward[],
): Pick<Decision, 'amend' | 'adjust' | 'withdraw'> & { notes: Check[]; spent: number } {
  const { spent } = usage;
  const changes: ReturnType<typeof followOrder> = { amend: [], adjust: [], withdraw: [], notes: [], spent };
  for (const from of own) {
    const ofRule = ruleOf(from.program, from.rule);
    const benefit = ofRule[from.role];
    const due = benefit && from.correction !== 'adjusted' ? amountOf(benefit, order, ofRule) : from.amount;
    const month = order.month ?? from.month;
    let amount = due;
    if (due > from.amount) {
      const limits = budgetChecks(changes.spent - from.amount, due, terms);
      changes.notes.push(...limits);
      if (failureOf(limits)) amount = from.amount;
    }
    if (due === 0) {
      changes.withdraw.push(from);
      amount = 0;
    } else if (from.state === 'pending') {
      if (amount !== from.amount || month !== from.month)
        changes.amend.push({ from, to: { ...from, amount, month } });
    } else if (amount !== from.amount) {
      const guard = isAdjustable(from) ? revocationNotifiedChecks([from]) : undefined;
      if (guard?.length === 0) changes.adjust.push({ from, amount });
      else {
        if (guard) changes.notes.push(amountKeptCheck(amount, from.amount), ...guard);
        amount = from.amount;
      }
    }
    changes.spent += amount - from.amount;
  }
  return changes;
}

/**
 * Whether another rule of its version can replace the rule of this reward: a pending one, and confirmed points if the version has
 * `refunds: "adjust"`, unless a person set the amount, or a webhook would not be notified of the revocation.
 */
function canChangeRule(reward: EarlierReward): boolean {
  if (reward.correction !== null || reward.notifiedEndpoints.length > 0) return false;
  return reward.state === 'pending' || followsRules(reward);
}

/** Whether a confirmed reward is withdrawn when another rule of its version applies. */
export function followsRules({ type, program: { terms } }: Pick<EarlierReward, 'type' | 'program'>): boolean {
  return type === 'points' && terms.refunds === 'adjust' && terms.rules.length > 1;
}

/** Decides whether an order without rewards earns some. */
function evaluateNew(input: EvaluationInput): Decision {
  const { order, referral, program } = input;
  const shared = sharedChecks(order, referral);
  const { rule, tried, conditions, applies, contends } = findRule(input, program);
  const checks = [...shared, ...tried, ...conditions];
  const failedShared = failureOf(shared);
  if (failedShared || !referral) {
    const reason = failedShared ?? 'member_not_linked';
    return { ...decision(program, rule, 'no_reward', reason, checks), rule: null };
  }
  const failed = failureOf(conditions);
  if (failed || !applies) {
    const reason = failed ?? 'already_rewarded';
    return { ...decision(program, rule, 'no_reward', reason, checks), contends };
  }
  const drafted = { referral, subject: subjectOf(rule, order, referral), rule, roles: bothRoles };
  const { give, limits, notes } = draftRewards(input, drafted);
  checks.push(...notes);
  if (give.length === 0)
    return decision(program, rule, 'no_reward', failureOf(limits) ?? 'nothing_to_give', checks);
  const reason = give[0]?.pending ? pendingReason(referral) : 'rewarded';
  return { ...decision(program, rule, 'rewarded', reason, checks), give };
}

/** Whether a person has moved the link to another referrer since the referrer got this reward. */
function isOfFormerReferrer({ role, memberId, referral: givenUnder }: EarlierReward, now: ReferralState) {
  return role === 'referrer' && givenUnder.moves !== now.moves && memberId !== now.referrerMemberId;
}

/** Why rewards of the referral are pending. */
function pendingReason(referral: ReferralState | null): ReasonCode {
  return isUnderReview(referral) ? 'under_review' : 'hold';
}

function decision(
  program: Program,
  { id: rule }: Rule,
  outcome: Decision['outcome'],
  reason: ReasonCode,
  checks: Check[],
): Decision {
  const nothing = { give: [], amend: [], adjust: [], confirm: [], reschedule: [], withdraw: [] };
  return { program, rule, reported: rule, outcome, reason, checks, contends: false, ...nothing };
}

/** Whether the amount of a reward follows its order after the confirmation. That of a coupon does not. */
export function isAdjustable({
  state,
  type,
  role,
  correction,
  program,
  rule,
}: Omit<EarlierReward, 'notifiedEndpoints'>): boolean {
  return (
    state === 'confirmed' &&
    correction === null &&
    type === 'points' &&
    rule !== null &&
    program.terms.refunds === 'adjust' &&
    ruleOf(program, rule)[role]?.amount.kind === 'percent'
  );
}

/** The fields of a decision that make it a new one. */
export interface DecisionKey {
  orderVersion: number;
  programVersion: number;
  /** As of {@link Decision}. */
  rule: string | null;
  outcome: string;
  reason: string;
  referralId: string;
}

/** Whether a decision (`made`) repeats the newest stored one of its order: it is not stored again. */
export function repeatsDecision(made: DecisionKey, last: DecisionKey | undefined): boolean {
  return (
    last?.orderVersion === made.orderVersion &&
    last.programVersion === made.programVersion &&
    last.rule === made.rule &&
    last.outcome === made.outcome &&
    last.reason === made.reason &&
    last.referralId === made.referralId
  );
}

import {
  amountKeptCheck,
  budgetChecks,
  capChecks,
  earlierFirstOrderCheck,
  revocationNotifiedChecks,
  liveRewardChecks,
  notRevokedByPersonCheck,
  notRewardedBeforeMergeCheck,
  notYetRewardedCheck,
} from './apply-checks.ts';
import { failureOf } from './checks.ts';
import type { Check } from './checks.ts';
import {
  isErasedMember,
  standsAfterMerge,
  isLive,
  isManual,
  isOfReferral,
  paidNow,
} from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput, OrderState } from './evaluation-input.ts';
import { ruleOf } from './program.ts';
import type { Benefit, Program, Rule } from './program.ts';
import type { ReasonCode } from './reasons.ts';
import { usageWithout } from './program-usage.ts';
import { isUnderReview } from './referral.ts';
import type { ReferralState, Role } from './referral.ts';
import { daysAfter, isBefore, laterOf } from './timestamps.ts';

/** A reward to give. */
export interface RewardDraft {
  role: Role;
  subject: string;
  memberId: string;
  type: 'points' | 'coupon';
  unit: string;
  amount: number;
  /** Days from the payment, or from the order if that is later, to the confirmation; 0 for no hold. */
  holdDays: number;
  /** When its hold ends; null without a hold. */
  confirmDueAt: string | null;
  /** Whether it waits for the end of its hold or for the review of its referral. */
  pending: boolean;
  /** False when a webhook was notified of an earlier reward and not of its revocation: the merchant must not pay twice. */
  deliver: boolean;
}

/** The result of an evaluation. */
export interface Decision {
  /** The version of the program that was applied. For an order that has rewards, the one they were given under. */
  program: Program;
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
  const { program } = first;
  // Who is linked, and since when, no longer matters.
  const referral = { ...first.referral, fromOrderId: null };
  const rule = { ...ruleOf(program), earlierOrders: 'count' as const, windowDays: null };
  const checks = liveRewardChecks(input.order, referral, null, rule);
  const failed = failureOf(checks);
  return failed && { ...decision(program, 'withdrawn', failed, checks), withdraw: kept };
}

/** Decides whether the live rewards of an order are kept, and their amounts, under the rule that they were given under. */
function reevaluate(input: EvaluationInput, own: EarlierReward[]): Decision {
  const { now, order, referral, earlierPaidOrder } = input;
  const [{ program, subject }] = own as [EarlierReward];
  const checks = liveRewardChecks(order, referral, earlierPaidOrder, ruleOf(program));
  if (input.earlierFirstOrder !== null && own.some(isOfReferral))
    checks.push(earlierFirstOrderCheck(input.earlierFirstOrder));
  const movedToOtherReferral = own.some(
    (reward) =>
      reward.referral.id !== referral?.id ||
      (reward.referral.moves === referral.moves && reward.referral.source !== referral.source),
  );
  const failed = failureOf(checks) ?? (movedToOtherReferral ? 'member_not_linked' : undefined);
  if (failed || !referral)
    return { ...decision(program, 'withdrawn', failed ?? 'member_not_linked', checks), withdraw: own };
  // What is withdrawn is evaluated again: what the new referrer gets, and what else follows the order, is decided then.
  const ofFormerReferrer = own.filter((reward) => isOfFormerReferrer(reward, referral));
  if (ofFormerReferrer.length > 0)
    return { ...decision(program, 'withdrawn', 'link_moved', checks), withdraw: ofFormerReferrer };

  const { amend, adjust, withdraw, notes, spent } = followOrder(input, own);
  const kept = own.filter((reward) => !withdraw.includes(reward));
  // The amount of a role that came to nothing before, or did not fit, follows the order too.
  const missing = bothRoles.filter((role) => own.every((reward) => reward.role !== role));
  const { give, notes: ofGiven } = draftRewards(
    { ...input, usage: { ...input.usage, spent } },
    { referral, subject, rule: ruleOf(program), roles: missing },
  );
  checks.push(...notes, ...ofGiven);
  if (kept.length === 0 && give.length === 0)
    return { ...decision(program, 'withdrawn', 'nothing_to_give', checks), withdraw };

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
  if (confirm.length > 0) return { ...decision(program, 'confirmed', 'rewarded', checks), ...changes };
  const follows = amend.length + adjust.length + withdraw.length + give.length > 0;
  const waits = pending.length > 0 || give.some((draft) => draft.pending);
  const reason = waits ? pendingReason(referral) : 'rewarded';
  return { ...decision(program, follows ? 'adjusted' : 'kept', reason, checks), ...changes };
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
    const benefit = ruleOf(from.program)[from.role];
    const due = benefit && from.correction !== 'adjusted' ? amountOf(benefit, order) : from.amount;
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

/** Decides whether an order without rewards earns some. */
function evaluateNew(input: EvaluationInput): Decision {
  const { order, referral, program } = input;
  const rule = ruleOf(program);
  const subject = rule.trigger === 'first_order' ? `referral:${referral?.id}` : `order:${order.orderId}`;
  const others = input.rewards.filter((reward) => isLive(reward) && reward.subject === subject);
  const checks = liveRewardChecks(order, referral, input.earlierPaidOrder, rule);
  const qualifies = failureOf(checks) === undefined;
  if (rule.trigger === 'first_order') checks.push(notYetRewardedCheck(others[0]?.orderId ?? null));
  const failed = failureOf(checks);
  const drafted = { referral, subject, rule, roles: bothRoles };
  if (failed || !referral) {
    const made = decision(program, 'no_reward', failed ?? 'member_not_linked', checks);
    if (!qualifies || !referral) return made;
    // As it will be evaluated once the other order has lost its reward, which then no longer counts against a limit.
    const usage = usageWithout(input.usage, others, { referral, month: order.month });
    return { ...made, contends: draftRewards({ ...input, usage }, { ...drafted, referral }).give.length > 0 };
  }

  const { give, limits, notes } = draftRewards(input, { ...drafted, referral });
  checks.push(...notes);
  if (give.length === 0)
    return decision(program, 'no_reward', failureOf(limits) ?? 'nothing_to_give', checks);
  const reason = give[0]?.pending ? pendingReason(referral) : 'rewarded';
  return { ...decision(program, 'rewarded', reason, checks), give };
}

/** Whether a person has moved the link to another referrer since the referrer got this reward. */
function isOfFormerReferrer({ role, memberId, referral: givenUnder }: EarlierReward, now: ReferralState) {
  return role === 'referrer' && givenUnder.moves !== now.moves && memberId !== now.referrerMemberId;
}

/**
 * When the hold of a reward of this order ends: some days after the payment, or after the order if that is later, since a payment long
 * before its order has a wrong date. Null without a hold.
 */
function holdEndOf({ paidAt, orderDate }: OrderState, holdDays: number): string | null {
  if (paidAt === null || holdDays <= 0) return null;
  return daysAfter(laterOf(paidAt, orderDate), holdDays);
}

function isAfter(end: string | null, now: string): boolean {
  return end !== null && isBefore(now, end);
}

/** Why rewards of the referral are pending. */
function pendingReason(referral: ReferralState | null): ReasonCode {
  return isUnderReview(referral) ? 'under_review' : 'hold';
}

function decision(
  program: Program,
  outcome: Decision['outcome'],
  reason: ReasonCode,
  checks: Check[],
): Decision {
  const nothing = { give: [], amend: [], adjust: [], confirm: [], reschedule: [], withdraw: [] };
  return { program, outcome, reason, checks, contends: false, ...nothing };
}

/**
 * Drafts the reward that a rule gives each of these roles, if caps and the budget of the program in force allow it. A limit of one
 * role does not affect the other. `notes` are the limits, and the checks that keep a merchant from being notified.
 */
function draftRewards(
  input: EvaluationInput,
  { referral, subject, rule, roles }: { referral: ReferralState; subject: string; rule: Rule; roles: Role[] },
): { give: RewardDraft[]; limits: Check[]; notes: Check[] } {
  const { now, order, program, usage } = input;
  const { holdDays } = rule;
  const confirmDueAt = holdEndOf(order, holdDays);
  const pending = isUnderReview(referral) || isAfter(confirmDueAt, now);
  const give: RewardDraft[] = [];
  const limits: Check[] = [];
  const guards: Check[] = [];
  let { spent } = usage;
  for (const role of roles) {
    const memberId = role === 'referee' ? referral.refereeMemberId : referral.referrerMemberId;
    const benefit = rule[role];
    const amount = benefit && !isErasedMember(memberId) ? amountOf(benefit, order) : 0;
    if (!benefit || amount === 0) continue;
    const closed = settledSubjectChecks(input, referral, subject, role);
    if (closed.length > 0) {
      limits.push(...closed);
      continue;
    }
    const caps = role === 'referrer' ? capChecks(usage, program.terms) : [];
    const checks = [...caps, ...budgetChecks(spent, amount, program.terms)];
    limits.push(...checks);
    if (failureOf(checks)) continue;
    spent += amount;
    const { type, unit } = benefit;
    const guard = doubleGrantChecks(input, referral, subject, role);
    // A pending reward is checked when it is confirmed.
    if (!pending) guards.push(...guard);
    give.push({
      role,
      subject,
      memberId,
      type,
      unit,
      amount,
      holdDays,
      confirmDueAt,
      pending,
      deliver: guard.length === 0,
    });
  }
  return { give, limits, notes: [...limits, ...guards] };
}

/** The amount of a benefit for an order, in its unit. Integer arithmetic: a rate has at most two decimals. */
export function amountOf({ amount }: Benefit, order: OrderState): number {
  if (amount.kind === 'fixed') return amount.value;
  const base = BigInt(Math.max(0, paidNow(order) - order.shippingAmount));
  const earned = Number((base * BigInt(Math.round(amount.rate * 100))) / 10_000n);
  return amount.cap === null ? earned : Math.min(earned, amount.cap);
}

/**
 * The check that fails when nothing is given for this subject or order any more: a person revoked a reward for it, so that only a
 * person gives another one; or it was rewarded before a merge.
 */
function settledSubjectChecks(
  input: EvaluationInput,
  referral: ReferralState,
  subject: string,
  role: Role,
): Check[] {
  const earlier = earlierFor(input, referral, subject, role);
  const revoked = earlier.find(({ correction }) => correction === 'revoked');
  if (revoked) return [notRevokedByPersonCheck(revoked.id)];
  const kept = earlier.find(standsAfterMerge);
  return kept ? [notRewardedBeforeMergeCheck(kept)] : [];
}

/**
 * The checks that fail when a webhook was notified of an earlier reward and not of its revocation: of a reward for the same subject
 * or the same order, which the merchant would grant twice.
 */
function doubleGrantChecks(
  input: EvaluationInput,
  referral: ReferralState,
  subject: string,
  role: Role,
): Check[] {
  return revocationNotifiedChecks(
    earlierFor(input, referral, subject, role).filter(({ state }) => state === 'revoked'),
  );
}

/**
 * The earlier rewards of a role for the same order or the same subject. The rewards of a referral, and those of the referrals that
 * ended when its referee was merged with others, are for the same subject.
 */
function earlierFor(
  { order, rewards }: EvaluationInput,
  { mergedIds }: ReferralState,
  subject: string,
  role: Role,
): EarlierReward[] {
  const isSame = (reward: EarlierReward) =>
    reward.subject === subject ||
    reward.orderId === order.orderId ||
    (subject.startsWith('referral:') && isOfReferral(reward) && mergedIds.includes(reward.referral.id));
  return rewards.filter((reward) => reward.role === role && isSame(reward));
}

/** Whether the amount of a reward follows its order after the confirmation. That of a coupon does not. */
export function isAdjustable({
  state,
  type,
  role,
  correction,
  program,
}: Omit<EarlierReward, 'notifiedEndpoints'>): boolean {
  return (
    state === 'confirmed' &&
    correction === null &&
    type === 'points' &&
    program.terms.refunds === 'adjust' &&
    ruleOf(program)[role]?.amount.kind === 'percent'
  );
}

/** The fields of a decision that make it a new one. */
export interface DecisionKey {
  orderVersion: number;
  programVersion: number;
  outcome: string;
  reason: string;
  referralId: string;
}

/** Whether a decision (`made`) repeats the newest stored one of its order: it is not stored again. */
export function repeatsDecision(made: DecisionKey, last: DecisionKey | undefined): boolean {
  return (
    last?.orderVersion === made.orderVersion &&
    last.programVersion === made.programVersion &&
    last.outcome === made.outcome &&
    last.reason === made.reason &&
    last.referralId === made.referralId
  );
}

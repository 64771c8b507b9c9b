import type { Benefit } from '@rewardhook/rewards';
import type { ProgramRule, ProgramVersionView } from '../../data/types.ts';

/** The value of a number field. Empty means none. */
export type NumberValue = number | '';

export interface BenefitForm {
  given: boolean;
  type: 'points' | 'coupon';
  unit: string;
  kind: 'fixed' | 'percent';
  value: NumberValue;
  rate: NumberValue;
  cap: NumberValue;
}

/** The values of the form, with the version that they are based on. The fields of a side that is off are kept. */
export interface RuleForm {
  version: number;
  trigger: ProgramRule['trigger'];
  referee: BenefitForm;
  referrer: BenefitForm;
  minimumPaidAmount: NumberValue;
  windowDays: NumberValue;
  holdDays: NumberValue;
  referrerCap: { total: NumberValue; month: NumberValue };
  budget: NumberValue;
  refunds: ProgramRule['refunds'];
  earlierOrders: ProgramRule['earlierOrders'];
}

const orEmpty = (value: number | null): NumberValue => value ?? '';
const orNull = (value: NumberValue): number | null => (value === '' ? null : value);

function benefitForm(benefit: Benefit | null): BenefitForm {
  const amount = benefit?.amount;
  return {
    given: benefit !== null,
    type: benefit?.type ?? 'points',
    unit: benefit?.unit ?? 'points',
    kind: amount?.kind ?? 'fixed',
    value: amount?.kind === 'fixed' ? amount.value : 3_000,
    rate: amount?.kind === 'percent' ? amount.rate : 5,
    cap: amount?.kind === 'percent' ? orEmpty(amount.cap) : '',
  };
}

function benefitOf({ given, type, unit, kind, value, rate, cap }: BenefitForm): Benefit | null {
  if (!given) return null;
  const amount =
    kind === 'fixed'
      ? ({ kind, value: Number(value) } as const)
      : ({ kind, rate: Number(rate), cap: orNull(cap) } as const);
  return { type, unit: unit.trim(), amount };
}

export function ruleForm({ version, rule }: Pick<ProgramVersionView, 'version' | 'rule'>): RuleForm {
  return {
    version,
    trigger: rule.trigger,
    referee: benefitForm(rule.referee),
    referrer: benefitForm(rule.referrer),
    minimumPaidAmount: rule.minimumPaidAmount,
    windowDays: orEmpty(rule.windowDays),
    holdDays: rule.holdDays,
    referrerCap: { total: orEmpty(rule.referrerCap.total), month: orEmpty(rule.referrerCap.month) },
    budget: orEmpty(rule.budget),
    refunds: rule.refunds,
    earlierOrders: rule.earlierOrders,
  };
}

export function ruleOf(form: RuleForm): ProgramRule {
  return {
    trigger: form.trigger,
    referee: benefitOf(form.referee),
    referrer: benefitOf(form.referrer),
    minimumPaidAmount: Number(form.minimumPaidAmount),
    windowDays: orNull(form.windowDays),
    holdDays: Number(form.holdDays),
    referrerCap: { total: orNull(form.referrerCap.total), month: orNull(form.referrerCap.month) },
    budget: orNull(form.budget),
    refunds: form.refunds,
    earlierOrders: form.earlierOrders,
  };
}

/** Converts paths of the API (`referee.amount.value`) to those of the form (`referee.value`). */
export function ruleErrors(problems: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).map(([path, problem]) => [path.replace('.amount.', '.'), problem]),
  );
}

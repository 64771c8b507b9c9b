import type { Benefit } from '@rewardhook/rewards';
import type { ProgramRule, ProgramVersionView } from '../../api/types.ts';

/** A number field of a form: empty means none. */
export type Entry = number | '';

export interface BenefitForm {
  given: boolean;
  type: 'points' | 'coupon';
  unit: string;
  kind: 'fixed' | 'percent';
  value: Entry;
  rate: Entry;
  cap: Entry;
}

/** The rule as the form holds it: flat, with what is switched off kept, and the version that it is made from. */
export interface RuleForm {
  version: number;
  trigger: ProgramRule['trigger'];
  referee: BenefitForm;
  referrer: BenefitForm;
  minimumPaidAmount: Entry;
  windowDays: Entry;
  holdDays: Entry;
  referrerCap: { total: Entry; month: Entry };
  budget: Entry;
}

const entry = (value: number | null): Entry => value ?? '';
const orNull = (value: Entry): number | null => (value === '' ? null : value);

function benefitForm(benefit: Benefit | null): BenefitForm {
  const amount = benefit?.amount;
  return {
    given: benefit !== null,
    type: benefit?.type ?? 'points',
    unit: benefit?.unit ?? 'points',
    kind: amount?.kind ?? 'fixed',
    value: amount?.kind === 'fixed' ? amount.value : 3_000,
    rate: amount?.kind === 'percent' ? amount.rate : 5,
    cap: amount?.kind === 'percent' ? entry(amount.cap) : '',
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
    windowDays: entry(rule.windowDays),
    holdDays: rule.holdDays,
    referrerCap: { total: entry(rule.referrerCap.total), month: entry(rule.referrerCap.month) },
    budget: entry(rule.budget),
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
  };
}

/** The API's paths (`referee.amount.value`) as the form's (`referee.value`). */
export function ruleErrors(problems: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).map(([path, problem]) => [path.replace('.amount.', '.'), problem]),
  );
}

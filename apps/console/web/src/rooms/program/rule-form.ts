import type { Benefit } from '@rewardhook/rewards';
import type { ProgramVersionView, Rule, Terms } from '../../data/types.ts';

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
  validDays: NumberValue;
}

/**
 * The values of the form, with the version that they are based on. The form shows one rule; what it does not show of the terms it keeps. The
 * fields of a side that is off are kept too.
 */
export interface RuleForm {
  version: number;
  terms: Terms;
  trigger: Rule['trigger'];
  referee: BenefitForm;
  referrer: BenefitForm;
  minimumPaidAmount: NumberValue;
  windowDays: NumberValue;
  holdDays: NumberValue;
  referrerCap: { total: NumberValue; month: NumberValue };
  budget: NumberValue;
  refunds: Terms['refunds'];
  earlierOrders: Rule['earlierOrders'];
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
    validDays: orEmpty(benefit?.validDays ?? null),
  };
}

function benefitOf({ given, type, unit, kind, value, rate, cap, validDays }: BenefitForm): Benefit | null {
  if (!given) return null;
  const amount =
    kind === 'fixed'
      ? ({ kind, value: Number(value) } as const)
      : ({ kind, rate: Number(rate), cap: orNull(cap) } as const);
  return { type, unit: unit.trim(), amount, validDays: orNull(validDays) };
}

/** Fills the form. @throws when the terms have several rules */
export function ruleForm({ version, terms }: Pick<ProgramVersionView, 'version' | 'terms'>): RuleForm {
  const [rule, another] = terms.rules;
  if (!rule || another) throw new Error('the form shows one rule');
  const { referrerCap, budget } = terms.limits;
  return {
    version,
    terms,
    trigger: rule.trigger,
    referee: benefitForm(rule.referee),
    referrer: benefitForm(rule.referrer),
    minimumPaidAmount: rule.minimumPaidAmount,
    windowDays: orEmpty(rule.windowDays),
    holdDays: rule.holdDays,
    referrerCap: { total: orEmpty(referrerCap.total), month: orEmpty(referrerCap.month) },
    budget: orEmpty(budget?.total ?? null),
    refunds: terms.refunds,
    earlierOrders: rule.earlierOrders,
  };
}

/** The terms that the form was filled with, with the values of the form. */
export function termsOf(form: RuleForm): Terms {
  const { rules, limits } = form.terms;
  const [rule] = rules as [Rule];
  const total = orNull(form.budget);
  return {
    rules: [
      {
        ...rule,
        trigger: form.trigger,
        referee: benefitOf(form.referee),
        referrer: benefitOf(form.referrer),
        minimumPaidAmount: Number(form.minimumPaidAmount),
        windowDays: orNull(form.windowDays),
        holdDays: Number(form.holdDays),
        earlierOrders: form.earlierOrders,
      },
    ],
    limits: {
      referrerCap: { total: orNull(form.referrerCap.total), month: orNull(form.referrerCap.month) },
      budget: total === null ? null : { unit: null, month: null, ...limits.budget, total },
    },
    refunds: form.refunds,
  };
}

/** Converts paths of the API, those of the rule without the path of the rule (`referee.amount.value`), to those of the form (`referee.value`). */
export function ruleErrors(problems: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).map(([path, problem]) => [
      path
        .replace(/^terms\.(?:limits\.)?/, '')
        .replace('.amount.', '.')
        .replace(/^budget\.total$/, 'budget'),
      problem,
    ]),
  );
}

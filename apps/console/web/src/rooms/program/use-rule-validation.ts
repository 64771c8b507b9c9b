import { useTranslation } from 'react-i18next';
import type { BenefitForm, NumberValue } from './rule-form.ts';

/** The validation of the form, before that of the API. */
export function useRuleValidation() {
  const { t } = useTranslation();
  const between = (least: number, most: number, optional: boolean) => (value: NumberValue) => {
    if (value === '') return optional ? null : t('rules.required');
    return value < least || value > most ? t('rules.between', { least, most }) : null;
  };
  const benefit = {
    unit: (unit: string) => (unit.trim() ? null : t('rules.required')),
    value: (value: NumberValue, { kind }: BenefitForm) =>
      kind === 'fixed' ? between(0, Number.MAX_SAFE_INTEGER, false)(value) : null,
    rate: (rate: NumberValue, { kind }: BenefitForm) =>
      kind === 'percent' ? between(0.01, 100, false)(rate) : null,
  };
  const side = (name: 'referee' | 'referrer') => ({
    unit: (unit: string, values: Record<typeof name, BenefitForm>) =>
      values[name].given ? benefit.unit(unit) : null,
    value: (value: NumberValue, values: Record<typeof name, BenefitForm>) =>
      values[name].given ? benefit.value(value, values[name]) : null,
    rate: (rate: NumberValue, values: Record<typeof name, BenefitForm>) =>
      values[name].given ? benefit.rate(rate, values[name]) : null,
  });
  return {
    referee: side('referee'),
    referrer: side('referrer'),
    minimumPaidAmount: between(0, Number.MAX_SAFE_INTEGER, false),
    windowDays: between(0.01, 3_650, true),
    holdDays: between(0, 365, false),
  };
}

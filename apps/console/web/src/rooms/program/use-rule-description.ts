import type { Benefit } from '@rewardhook/rewards';
import { useTranslation } from 'react-i18next';
import type { Terms } from '../../data/types.ts';
import { useFormat } from '../../ui/use-format.ts';

/** Describes terms with one rule: name and value of each field, in the order of the form. */
export function useRuleDescription(): (terms: Terms) => { key: string; name: string; value: string }[] {
  const { t } = useTranslation();
  const { amount, number, won } = useFormat();
  const benefit = (given: Benefit | null): string => {
    if (!given) return t('program.noReward');
    const type = t(`program.types.${given.type}`);
    const kind = given.type === 'points' && given.unit === 'points' ? '' : ` (${type})`;
    if (given.amount.kind === 'fixed') return `${amount(given.amount.value, given.unit)}${kind}`;
    const { rate, cap } = given.amount;
    const most = cap === null ? '' : `, ${t('program.atMost', { amount: amount(cap, given.unit) })}`;
    return `${t('program.percentOf', { rate })}${most} · ${given.type === 'points' && given.unit === 'points' ? type : `${given.unit}${kind}`}`;
  };
  const limit = (value: number | null): string => (value === null ? t('program.noLimit') : number(value));
  return ({ rules: [rule], limits: { referrerCap, budget }, refunds }) => {
    if (!rule) return [];
    return [
      { key: 'trigger', name: t('program.trigger'), value: t(`program.triggers.${rule.trigger}`) },
      { key: 'referee', name: t('program.referee'), value: benefit(rule.referee) },
      { key: 'referrer', name: t('program.referrer'), value: benefit(rule.referrer) },
      { key: 'minimum', name: t('program.minimum'), value: won(rule.minimumPaidAmount) },
      {
        key: 'window',
        name: t('program.window'),
        value: limit(rule.windowDays),
      },
      {
        key: 'hold',
        name: t('program.hold'),
        value: rule.holdDays === 0 ? t('program.noDelay') : number(rule.holdDays),
      },
      { key: 'total', name: t('program.capTotal'), value: limit(referrerCap.total) },
      { key: 'month', name: t('program.capMonth'), value: limit(referrerCap.month) },
      { key: 'budget', name: t('program.budget'), value: limit(budget?.total ?? null) },
      { key: 'refunds', name: t('program.refunds'), value: t(`program.refundChoices.${refunds}`) },
      {
        key: 'earlierOrders',
        name: t('program.earlierOrders'),
        value: t(`program.earlierOrdersChoices.${rule.earlierOrders}`),
      },
    ];
  };
}

import type { Check } from '@rewardhook/rewards';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { pathOf } from '../../app/paths.ts';
import { DateTime } from '../../components/date-time.tsx';
import { TextLink } from '../../components/links.tsx';
import { useFormat } from '../../formatting/use-format.ts';

/** Shows what a check looked at as what it is: a time, an amount, an order, days. */
export function useCheckValue(): (check: Check, value: Check['value']) => ReactNode {
  const { t } = useTranslation();
  const { won, number } = useFormat();
  return ({ check }, value) => {
    if (value === null) return '–';
    if (typeof value === 'boolean') return value ? t('common.yes') : t('common.no');
    if (typeof value === 'number') {
      if (check === 'minimum_paid_amount') return won(value);
      if (check === 'window') return t('common.dayCount', { count: value });
      return number(value);
    }
    if (check === 'review') return t(`referrals.reviews.${value as 'pending'}`, { defaultValue: value });
    if (check === 'not_yet_rewarded') return <TextLink to={pathOf.order(value)}>{value}</TextLink>;
    return /^\d{4}-\d\d-\d\dT/.test(value) ? <DateTime at={value} /> : value;
  };
}

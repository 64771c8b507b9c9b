import type { Check } from '@rewardhook/rewards';
import { IconCircleCheckFilled, IconCircleXFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { pathOf } from '../../../app/paths.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import classes from './decision-panel.module.css';

/** The checks of a decision: value, required value and result. Those of rules that were tried before begin with the id of the rule. */
export function Checks({ checks }: { checks: Check[] }) {
  const { t } = useTranslation();
  const show = useCheckValue();
  return (
    <table className={classes['checks']}>
      <caption className="visually-hidden">{t('orders.checks')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('orders.check')}</th>
          <th scope="col">{t('orders.value')}</th>
          <th scope="col">{t('orders.threshold')}</th>
          <th scope="col">{t('orders.outcome')}</th>
        </tr>
      </thead>
      <tbody>
        {checks.map((check, index) => {
          const Icon = check.passed ? IconCircleCheckFilled : IconCircleXFilled;
          return (
            <tr key={`${check.check} ${index}`}>
              <th scope="row">
                {check.rule && `${check.rule}: `}
                {t(`checks.${check.check}`)}
              </th>
              {check.check === 'first_order' ? (
                <FirstOrderCells check={check} />
              ) : (
                <>
                  <td data-label={t('orders.value')} data-none={check.value === null || undefined}>
                    {show(check, check.value)}
                  </td>
                  <td data-label={t('orders.threshold')} data-none={check.threshold === null || undefined}>
                    {show(check, check.threshold)}
                  </td>
                </>
              )}
              <td>
                <span
                  className={`${classes['mark']} ${check.passed ? classes['passed'] : classes['failed']}`}
                >
                  <Icon size={16} aria-hidden /> {check.passed ? t('orders.passed') : t('orders.failed')}
                </span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The earlier paid order that was found, and the `first_order` flag of the merchant, which takes precedence. */
function FirstOrderCells({ check: { value, threshold } }: { check: Check }) {
  const { t } = useTranslation();
  return (
    <>
      <td data-label={t('orders.value')}>
        {typeof threshold === 'string' ? (
          <>
            {t('orders.earlierPaidOrder')} <TextLink to={pathOf.order(threshold)}>{threshold}</TextLink>
          </>
        ) : (
          t('orders.noEarlierPaidOrder')
        )}
      </td>
      <td data-label={t('orders.threshold')}>
        {value === true ? t('orders.sentAsFirst') : t('orders.notSentAsFirst')}
      </td>
    </>
  );
}

const isTime = (value: string) => /^\d{4}-\d\d-\d\dT/.test(value);

/** Displays the value of a check by its kind: time, amount, order or days. */
function useCheckValue(): (check: Check, value: Check['value']) => ReactNode {
  const { t } = useTranslation();
  const { won, number } = useFormat();
  return ({ check }, value) => {
    if (value === null) return '–';
    if (typeof value === 'boolean') return value ? t('common.yes') : t('common.no');
    if (typeof value === 'number') {
      if (check === 'minimum_paid_amount' || check === 'paid_without_shipping') return won(value);
      if (check === 'window') return t('common.dayCount', { count: value });
      return number(value);
    }
    if (check === 'review') return t(`referrals.reviews.${value as 'pending'}`, { defaultValue: value });
    if (
      check === 'earlier_first_order' ||
      check === 'not_yet_rewarded' ||
      (check === 'new_member' && !isTime(value))
    )
      return <TextLink to={pathOf.order(value)}>{value}</TextLink>;
    if (check === 'revocation_notified' && value.startsWith('whk_'))
      return <TextLink to={pathOf.webhook(value)}>{value}</TextLink>;
    return isTime(value) ? <DateTime at={value} exact /> : value;
  };
}

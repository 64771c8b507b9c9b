import type { Check } from '@rewardhook/rewards';
import { IconCircleCheckFilled, IconCircleXFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { pathOf } from '../../app/paths.ts';
import { TextLink } from '../../components/links.tsx';
import { useCheckValue } from './use-check-value.tsx';
import classes from './decision-panel.module.css';

/** Each check of a judgement: what it looked at, what that was held against, and the outcome. */
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
        {checks.map((check) => {
          const Icon = check.passed ? IconCircleCheckFilled : IconCircleXFilled;
          return (
            <tr key={check.check}>
              <th scope="row">{t(`checks.${check.check}`)}</th>
              {check.check === 'first_order' ? (
                <FirstOrderCells check={check} />
              ) : (
                <>
                  <td data-label={t('orders.value')}>{show(check, check.value)}</td>
                  <td data-label={t('orders.threshold')}>
                    {check.threshold === null ? '–' : show(check, check.threshold)}
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

/** What was found is the earlier paid order, or none; the flag is what the merchant sent, which can stand in for it. */
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

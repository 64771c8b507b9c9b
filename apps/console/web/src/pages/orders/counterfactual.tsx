import type { Condition, Counterfactual as Parts } from '@rewardhook/rewards';
import { IconBulb } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../formatting/use-format.ts';
import classes from './decision-panel.module.css';

/** What would have to be different for the order to earn something. */
export function Counterfactual({ parts: { earns, conditions } }: { parts: Parts }) {
  const { t } = useTranslation();
  const { amount, won, number } = useFormat();
  const sentenceOf = (condition: Condition): string => {
    switch (condition.code) {
      case 'minimum_paid_amount':
        return t('counterfactual.minimum_paid_amount', { amount: won(condition.amount) });
      case 'window':
        return t('counterfactual.window', { days: number(condition.days) });
      case 'first_order':
      case 'not_yet_rewarded':
        return t(`counterfactual.${condition.code}`, { order: condition.order_id });
      case 'referrer_total_cap':
      case 'referrer_month_cap':
        return t(`counterfactual.${condition.code}`, { rewards: number(condition.rewards) });
      default:
        return t(`counterfactual.${condition.code}`);
    }
  };
  return (
    <p className={classes['note']}>
      <IconBulb size={17} aria-hidden />{' '}
      <span>
        {t('counterfactual.sentence', {
          conditions: conditions.map(sentenceOf).join(', '),
          gains: earns
            .map(({ role, ...gain }) =>
              t(`counterfactual.${role}`, { amount: amount(gain.amount, gain.unit) }),
            )
            .join(', '),
        })}
      </span>
    </p>
  );
}

import type { Condition, Counterfactual as Parts } from '@rewardhook/rewards';
import { IconBulb } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/use-format.ts';
import classes from './decision-panel.module.css';
import { useConditionParameters } from './use-condition-parameters.ts';

/** The conditions under which the order would earn a reward today. */
export function Counterfactual({ parts: { earns, conditions } }: { parts: Parts }) {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const parametersOf = useConditionParameters();
  const textOf = (condition: Condition) => t(`counterfactual.${condition.code}`, parametersOf(condition));
  return (
    <p className={classes['note']}>
      <IconBulb size={17} aria-hidden />{' '}
      <span>
        {t('counterfactual.sentence', {
          conditions: conditions.map(textOf).join(', '),
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

import { IconBulb } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../parts/use-format.ts';
import { counterfactualParts } from './counterfactual-parts.ts';
import classes from './verdict-panel.module.css';

/** What would have to be different for the order to earn something. */
export function Counterfactual({ sentence }: { sentence: string }) {
  const { t, i18n } = useTranslation();
  const { amount } = useFormat();
  const parts = i18n.language === 'en' ? null : counterfactualParts(sentence);
  return (
    <p className={classes['note']}>
      <IconBulb size={17} aria-hidden />{' '}
      {parts ? (
        <span>
          {t('counterfactual.sentence', {
            conditions: parts.conditions
              .map(({ key, value }) => t(`counterfactual.${key}`, { value }))
              .join(', '),
            gains: parts.gains
              .map((gain) => `${t(`rewardRoles.${gain.role}`)} ${amount(gain.amount, gain.unit)}`)
              .join(', '),
          })}
        </span>
      ) : (
        <span lang="en">{sentence}</span>
      )}
    </p>
  );
}

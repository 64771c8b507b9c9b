import { IconClockHour4 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OrderExplanation } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { ReasonBadge } from '../../parts/reason-badge.tsx';
import { Section } from '../../parts/section.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Checks } from './checks.tsx';
import { Counterfactual } from './counterfactual.tsx';
import classes from './verdict-panel.module.css';

/** How the order is judged now: the reason, each check, and what would have to be different. */
export function VerdictPanel({ explanation }: { explanation: OrderExplanation }) {
  const { t } = useTranslation();
  const { verdict, counterfactual, referral, program, waits_for_judgement: waits } = explanation;
  return (
    <Section
      title={t('orders.verdict')}
      lead={t('orders.verdictLead', { version: program.version })}
      actions={<ReasonBadge reason={verdict.reason} />}
    >
      <p className={classes['sentence']}>
        {t(`reasonSentences.${verdict.reason as 'rewarded'}`, { defaultValue: verdict.reason })}{' '}
        {referral && (
          <>
            {t('orders.broughtBy')}{' '}
            <TextLink to={pathOf.member(referral.referrer_member_id)}>{referral.referrer_member_id}</TextLink>
            .
          </>
        )}
      </p>
      {waits && (
        <p className={classes['note']} role="status">
          <IconClockHour4 size={17} aria-hidden /> {t('orders.waits')}
        </p>
      )}
      <Checks checks={verdict.checks} />
      {counterfactual && <Counterfactual sentence={counterfactual} />}
    </Section>
  );
}

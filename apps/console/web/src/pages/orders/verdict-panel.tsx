import { IconAlertTriangle, IconClockHour4 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OrderExplanation } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { DateTime } from '../../parts/date-time.tsx';
import { ReasonBadge } from '../../parts/reason-badge.tsx';
import { Section } from '../../parts/section.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Checks } from './checks.tsx';
import { Counterfactual } from './counterfactual.tsx';
import classes from './verdict-panel.module.css';

/** What was decided about the order, with each check; apart from it, what it would come to today. */
export function VerdictPanel({ explanation }: { explanation: OrderExplanation }) {
  const { t } = useTranslation();
  const { verdict, decision, today, referral, program, waits_for_judgement: waits } = explanation;
  const parts = explanation.counterfactual_parts;
  const differs =
    decision !== null && (today.reason !== verdict.reason || today.program.version !== program.version);
  const failedSince = explanation.evaluation_failed_since;
  return (
    <Section
      title={t('orders.verdict')}
      lead={
        decision ? (
          <>
            {t('orders.verdictLead', { version: program.version })} <DateTime at={decision.decided_at} />
          </>
        ) : (
          t('orders.undecidedLead', { version: program.version })
        )
      }
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
      {failedSince && (
        <p className={classes['note']} role="status">
          <IconAlertTriangle size={17} aria-hidden /> {t('orders.evaluationFailed')}
        </p>
      )}
      <Checks checks={verdict.checks} />
      {differs && (
        <div className={classes['today']}>
          <p className={classes['todayLine']}>
            <strong>{t('orders.today', { version: today.program.version })}</strong>{' '}
            <ReasonBadge reason={today.reason} />
          </p>
          <details>
            <summary>{t('orders.showChecks')}</summary>
            <Checks checks={today.checks} />
          </details>
        </div>
      )}
      {parts && <Counterfactual parts={parts} />}
    </Section>
  );
}

import { conditionOf, failedCheck } from '@rewardhook/rewards';
import type { Check } from '@rewardhook/rewards';
import { Fragment } from 'react';
import { IconAlertTriangle, IconClockHour4, IconInfoCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OrderResponse } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { ReasonBadge } from '../../../ui/reason-badge.tsx';
import { Section } from '../../../ui/section.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { MoveButton } from '../referrals/move-button.tsx';
import { Checks } from './checks.tsx';
import { Counterfactual } from './counterfactual.tsx';
import classes from './decision-panel.module.css';
import { useConditionParameters } from './use-condition-parameters.ts';

/** The decision about an order with its checks and, where it differs, what an evaluation would decide today. */
export function DecisionPanel({ response: { order, explanation, outcome } }: { response: OrderResponse }) {
  const { t } = useTranslation();
  const canEdit = useRight('correct');
  const {
    decision,
    stored_decision: stored,
    today,
    referral,
    program,
    waits_for_evaluation: waits,
  } = explanation;
  const parts = explanation.counterfactual_parts;
  const differs =
    stored !== null && (today.reason !== decision.reason || today.program.version !== program.version);
  const parametersOf = useConditionParameters();
  const failed = failedCheck(decision.checks);
  const failedSince = explanation.evaluation_failed_since;
  return (
    <Section
      title={t('orders.decision')}
      lead={
        stored ? (
          <>
            {t('orders.decisionLead', { version: program.version })} <DateTime at={stored.decided_at} />
          </>
        ) : (
          outcome.state !== 'stopped' &&
          t(outcome.state === 'no_referrer' ? 'orders.unlinkedLead' : 'orders.undecidedLead', {
            version: program.version,
          })
        )
      }
      actions={<ReasonBadge reason={decision.reason} />}
    >
      <p className={classes['sentence']}>
        {t(`reasonSentences.${decision.reason as 'not_first_order'}`, {
          ...(failed && parametersOf(conditionOf(failed))),
          defaultValue: decision.reason,
        })}{' '}
        {referral && (
          <>
            {t('orders.referredBy')}{' '}
            <TextLink to={pathOf.member(referral.referrer_member_id)}>{referral.referrer_member_id}</TextLink>
            .
          </>
        )}
      </p>
      {canEdit && (
        <p>
          <MoveButton
            label={t('referrals.orderCameFrom')}
            target={{ memberId: order.member_id, isLinked: referral !== null }}
            fromOrderId={order.order_id}
          />
        </p>
      )}
      {explanation.sent_member_id !== null && (
        <p className={classes['note']}>
          <IconInfoCircle size={17} aria-hidden />
          <span>{t('orders.sentMember', { member: explanation.sent_member_id })}</span>
        </p>
      )}
      {explanation.similar_members.length > 0 && (
        <p className={classes['note']}>
          <IconAlertTriangle size={17} aria-hidden />
          <span>
            {t('orders.similarMembers')}{' '}
            {explanation.similar_members.map((id, index) => (
              <Fragment key={id}>
                {index > 0 && ', '}
                <TextLink to={pathOf.member(id)}>{id}</TextLink>
              </Fragment>
            ))}
          </span>
        </p>
      )}
      {waits && (
        <p className={classes['note']} role="status">
          <IconClockHour4 size={17} aria-hidden /> {t('orders.dueAgain')}
        </p>
      )}
      {failedSince && (
        <p className={classes['note']} role="status">
          <IconAlertTriangle size={17} aria-hidden /> {t('orders.evaluationFailed')}
        </p>
      )}
      {outcome.rewards.length > 0 ? (
        <FoldedChecks checks={decision.checks} />
      ) : (
        <Checks checks={decision.checks} />
      )}
      {differs && (
        <div className={classes['today']}>
          <p className={classes['todayLine']}>
            <strong>{t('orders.today', { version: today.program.version })}</strong>{' '}
            <ReasonBadge reason={today.reason} />
          </p>
          <FoldedChecks checks={today.checks} />
        </div>
      )}
      {parts && <Counterfactual parts={parts} />}
    </Section>
  );
}

function FoldedChecks({ checks }: { checks: Check[] }) {
  const { t } = useTranslation();
  return (
    <details className={classes['fold']}>
      <summary>{t('orders.showChecks')}</summary>
      <Checks checks={checks} />
    </details>
  );
}

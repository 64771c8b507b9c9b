import { conditionOf, failedCheck } from '@rewardhook/rewards';
import { useTranslation } from 'react-i18next';
import type { OrderListItem, OrderResponse } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ReasonBadge } from '../../../ui/reason-badge.tsx';
import classes from './order-outcome.module.css';
import { useConditionParameters } from './use-condition-parameters.ts';
import { useRewardLines } from './use-outcome.ts';
import type { OutcomeLine } from './use-outcome.ts';

/** On top of the page of an order: what became of it, in one line. */
export function OutcomeLines({ response: { order, explanation, outcome } }: { response: OrderResponse }) {
  const { t } = useTranslation();
  const rewardLines = useRewardLines();
  const parametersOf = useConditionParameters();
  const { decision, waits_for_evaluation: waits } = explanation;
  const { reason, checks } = decision;
  const failed = failedCheck(checks);
  const withoutReward = (): OutcomeLine => {
    if (outcome.state === 'no_referrer')
      return { text: t('outcomes.noRewardNoReferrer', { member: order.member_id }), tone: 'idle' };
    const sentence = t(`reasonSentences.${reason as 'not_first_order'}`, {
      ...(failed && parametersOf(conditionOf(failed))),
      defaultValue: reason,
    });
    return { text: sentence, tone: 'idle' };
  };
  const lines = rewardLines(outcome);
  if (outcome.state === 'stopped') lines.unshift({ text: t('outcomes.stoppedText'), tone: 'bad' });
  else if (outcome.state === 'evaluating' || waits)
    lines.unshift({
      text: t(lines.length > 0 ? 'outcomes.evaluatingAgain' : 'outcomes.evaluating'),
      tone: 'info',
    });
  else if (lines.length === 0) lines.push(withoutReward());
  return (
    <p className={classes['line']} role="status">
      {lines.map(({ text, tone }, index) => (
        <span key={index}>
          <span className={classes[tone]}>{text}</span>
          {index < lines.length - 1 && '; '}
        </span>
      ))}
    </p>
  );
}

/** The same in a list. */
export function OutcomeCell({ order: { outcome, last_reason: reason } }: { order: OrderListItem }) {
  const { t } = useTranslation();
  const lines = useRewardLines()(outcome);
  if (outcome.state === 'stopped') return <Badge tone="bad">{t('outcomes.stopped')}</Badge>;
  if (lines.length > 0)
    return (
      <span className={classes['lines']}>
        {lines.map(({ text, tone }, index) => (
          <span key={index} className={classes[tone]}>
            {text}
          </span>
        ))}
      </span>
    );
  if (outcome.state === 'evaluating') return <Badge tone="info">{t('outcomes.evaluating')}</Badge>;
  if (outcome.state === 'no_referrer' || reason === null)
    return <Badge tone="idle">{t('outcomes.noReferrer')}</Badge>;
  return <ReasonBadge reason={reason} />;
}

import type { Check } from '@rewardhook/rewards';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TimelineEntryView } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { DateTime } from '../../components/date-time.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { ReasonBadge } from '../../components/reason-badge.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { TextLink } from '../../components/links.tsx';
import { useFormat } from '../../formatting/use-format.ts';
import { Checks } from './checks.tsx';
import classes from './timeline.module.css';

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : '';

/** What is to be said of one step of the timeline beside its name and time. */
export function TimelineEntryDetail({ entry }: { entry: TimelineEntryView }) {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const h = entry;
  const member = (id: unknown) => <TextLink to={pathOf.member(text(id))}>{text(id)}</TextLink>;
  const reward = () => (
    <span>
      {amount(Number(h['amount']), text(h['unit']))} · {t(`rewardRoles.${text(h['role']) as 'referee'}`)}{' '}
      {member(h['member_id'])}
    </span>
  );
  const details: Record<string, () => ReactNode> = {
    version_received: () => `${t('orders.version')} ${text(h['version'])}`,
    member_linked: () => (
      <span>
        {t('orders.referredBy')} {member(h['referrer_member_id'])}{' '}
        <TextLink to={pathOf.referral(text(h['referral_id']))}>{t('referrals.one')}</TextLink>
      </span>
    ),
    referral_accepted: () => t('referrals.decidedBy', { name: text(h['by']) }),
    referral_rejected: () => t('referrals.decidedBy', { name: text(h['by']) }),
    evaluated: () => (
      <>
        <ReasonBadge reason={text(h['reason'])} />
        <span>{t('orders.programVersion', { version: text(h['program_version']) })}</span>
      </>
    ),
    reward_given: () => (
      <>
        <StateBadge state={text(h['state']) as 'pending'} />
        {reward()}
        {text(h['confirm_due_at']) && (
          <span>
            {t('rewards.confirmDue')} <DateTime at={text(h['confirm_due_at'])} />
          </span>
        )}
      </>
    ),
    reward_confirmed: reward,
    reward_revoked: reward,
    reward_cancelled: reward,
    event: () => <code>{text(h['type'])}</code>,
    delivery: () => (
      <>
        <StateBadge state={text(h['state']) as 'pending'} />
        <Identifier
          value={text(h['delivery_id'])}
          name={t('fields.delivery')}
          to={pathOf.delivery(text(h['delivery_id']))}
        />
        <span>{text(h['url'])}</span>
      </>
    ),
    attempt: () => (
      <>
        <span>
          {t('deliveries.attemptNumber', { number: text(h['number']) })} ·{' '}
          {text(h['status'])
            ? `HTTP ${text(h['status'])}`
            : t(`attemptErrors.${text(h['error']) as 'dns'}`, { defaultValue: text(h['error']) })}
        </span>
        <TextLink to={pathOf.delivery(text(h['delivery_id']))}>{text(h['url'])}</TextLink>
      </>
    ),
  };
  const detail = details[h.what]?.();
  const checks = h.what === 'evaluated' ? (h['checks'] as Check[] | undefined) : undefined;
  return (
    <>
      {detail && <div className={classes['detail']}>{detail}</div>}
      {checks && (
        <details className={classes['checks']}>
          <summary>{t('orders.showChecks')}</summary>
          <Checks checks={checks} />
        </details>
      )}
    </>
  );
}

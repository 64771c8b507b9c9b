import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TimelineEntryView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { ReasonBadge } from '../../../ui/reason-badge.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import classes from './timeline.module.css';

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : '';

/** The details of a timeline entry, which depend on what happened. */
export function TimelineEntryDetail({ entry }: { entry: TimelineEntryView }) {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const member = (id: unknown) => <TextLink to={pathOf.member(text(id))}>{text(id)}</TextLink>;
  const by = () => t('referrals.doneBy', { name: text(entry['by']) });
  const reward = () => (
    <span>
      {amount(Number(entry['amount']), text(entry['unit']))} ·{' '}
      {t(`rewardRoles.${text(entry['role']) as 'referee'}`)} {member(entry['member_id'])}
    </span>
  );
  const details: Record<string, () => ReactNode> = {
    version_dropped: () => (
      <span>
        {t(entry['stored_time_of'] === 'acceptance' ? 'orders.acceptedLater' : 'orders.updatedLater')}{' '}
        <DateTime at={text(entry['stored_time'])} exact />
      </span>
    ),
    member_linked: () => (
      <span>
        {t('orders.referredBy')} {member(entry['referrer_member_id'])}{' '}
        <TextLink to={pathOf.referral(text(entry['referral_id']))}>{t('referrals.one')}</TextLink>
      </span>
    ),
    link_moved: () => (
      <span>
        {t('orders.referredBy')} {member(entry['referrer_member_id'])} · {text(entry['reason'])} · {by()}
      </span>
    ),
    member_merged: () => (
      <span>
        {text(entry['former_member_id'])} → {member(entry['member_id'])} · {text(entry['reason'])} · {by()}
      </span>
    ),
    referral_accepted: () => t('referrals.decidedBy', { name: text(entry['by']) }),
    referral_rejected: () => t('referrals.decidedBy', { name: text(entry['by']) }),
    evaluated: () => <ReasonBadge reason={text(entry['reason'])} />,
    corrected: () => (
      <>
        <span>{t(`corrections.${text(entry['kind']) as 'grant'}Entry`)}</span>
        <span>{text(entry['reason'])}</span>
        <span>{by()}</span>
      </>
    ),
    reward_given: () => (
      <>
        <StateBadge state={text(entry['state']) as 'pending'} />
        {reward()}
        {text(entry['confirm_due_at']) && (
          <span>
            {t('rewards.confirmDue')} <DateTime at={text(entry['confirm_due_at'])} exact />
          </span>
        )}
      </>
    ),
    reward_confirmed: () => (
      <>
        {reward()}
        {entry['not_notified'] === true && <span>{t('orders.blockedByOpenRevocation')}</span>}
      </>
    ),
    reward_revoked: reward,
    reward_cancelled: reward,
    event: () => (
      <>
        <code>{text(entry['type'])}</code>
        {entry['no_webhook'] === true && <span>{t('orders.noWebhook')}</span>}
      </>
    ),
    event_deleted: () => <code>{text(entry['type'])}</code>,
    delivery: () => (
      <>
        <StateBadge state={text(entry['state']) as 'pending'} />
        {text(entry['event_type']) && <code>{text(entry['event_type'])}</code>}
        {text(entry['member_id']) && reward()}
        <Identifier
          value={text(entry['delivery_id'])}
          name={t('fields.delivery')}
          to={pathOf.delivery(text(entry['delivery_id']))}
        />
        <span>{text(entry['url'])}</span>
      </>
    ),
    attempt: () => (
      <>
        <span>
          {t('deliveries.attemptNumber', { number: text(entry['number']) })} ·{' '}
          {text(entry['status'])
            ? `HTTP ${text(entry['status'])}`
            : t(`attemptErrors.${text(entry['error']) as 'dns'}`, { defaultValue: text(entry['error']) })}
        </span>
        {text(entry['warning']) && (
          <span>{t('deliveries.attemptWarning', { warning: text(entry['warning']) })}</span>
        )}
        {entry['retried_on_new_connection'] === true && (
          <span>{t('deliveries.attemptRetriedOnNewConnection')}</span>
        )}
        {entry['ignored'] === true && <span>{t('deliveries.attemptIgnored')}</span>}
        <TextLink to={pathOf.delivery(text(entry['delivery_id']))}>{text(entry['url'])}</TextLink>
      </>
    ),
  };
  const detail = Object.hasOwn(details, entry.what) && details[entry.what]?.();
  return detail && <div className={classes['detail']}>{detail}</div>;
}

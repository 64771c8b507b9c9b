import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { WebhookView } from '../../../data/types.ts';
import { DateTime, NextTime } from '../../../ui/date-time.tsx';
import { DocsLink } from '../../../ui/docs-link.tsx';

/** Why a webhook is not active, and what happens next. */
export function WebhookNotice({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  const {
    status,
    breaker,
    disabled_at: disabledAt,
    disabled_reason: reason,
    paused_at: pausedAt,
    held,
  } = webhook;
  if (status === 'active') return null;
  return (
    <Alert
      variant="default"
      role="status"
      icon={
        <IconAlertTriangle aria-hidden color={status === 'paused' ? 'var(--tone-warn)' : 'var(--tone-bad)'} />
      }
      title={t(`webhooks.notice.${status}.title`)}
    >
      <div>{t(`webhooks.notice.${status}.text`, { count: held })}</div>
      <div style={{ marginTop: 4, fontSize: 13, color: 'var(--ink-soft)' }}>
        {status === 'paused' && pausedAt && (
          <>
            {t('webhooks.since')} <DateTime at={pausedAt} />
          </>
        )}
        {status === 'disabled' && disabledAt && (
          <>
            {t('webhooks.since')} <DateTime at={disabledAt} />{' '}
            {reason && (
              <span>· {t(`webhooks.disabledReasons.${reason.code}`, { ...reason.parameters })}</span>
            )}
          </>
        )}
        {status === 'failing' && breaker?.next_probe_at && (
          <>
            {t('webhooks.nextProbe')} <NextTime at={breaker.next_probe_at} />
          </>
        )}
      </div>
      <DocsLink to="webhooks#what-disables-a-webhook" label={t('webhooks.howToFix')} />
    </Alert>
  );
}

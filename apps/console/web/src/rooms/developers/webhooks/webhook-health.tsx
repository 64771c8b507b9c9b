import { useTranslation } from 'react-i18next';
import type { WebhookView } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Figures } from '../../../ui/figures.tsx';
import { NextTime } from '../../../ui/date-time.tsx';
import { useFormat } from '../../../ui/use-format.ts';

/** The health of a webhook: its last 24 hours, its circuit breaker and its waiting deliveries. */
export function WebhookHealth({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  const { number, percent, milliseconds } = useFormat();
  const { health, waiting, held } = webhook;
  return (
    <Figures
      figures={[
        {
          name: t('webhooks.success'),
          value: health.success_rate === null ? '–' : percent(health.success_rate),
          note: t('webhooks.attemptsOfDay', {
            succeeded: number(health.succeeded),
            attempts: number(health.attempts),
          }),
        },
        {
          name: t('webhooks.p95'),
          value: health.p95_ms === null ? '–' : milliseconds(health.p95_ms),
          note: t('webhooks.lastDay'),
        },
        {
          name: t('webhooks.breaker'),
          value: <BreakerState webhook={webhook} />,
          note: <BreakerNote webhook={webhook} />,
        },
        {
          name: t('webhooks.waiting'),
          value: number(waiting),
          note: held > 0 ? t('webhooks.heldNote', { count: held }) : undefined,
        },
      ]}
    />
  );
}

function BreakerState({ webhook: { breaker, half_open: halfOpen } }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  if (breaker) return <Badge tone="bad">{t('webhooks.breakerOpen')}</Badge>;
  if (halfOpen) return <Badge tone="warn">{t('webhooks.breakerHalfOpen')}</Badge>;
  return <Badge tone="good">{t('webhooks.breakerClosed')}</Badge>;
}

function BreakerNote({ webhook: { breaker, half_open: halfOpen } }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  if (!breaker) return t(halfOpen ? 'webhooks.breakerHalfOpenNote' : 'webhooks.breakerClosedNote');
  return (
    <>
      {t('webhooks.failuresInARow', { count: breaker.failures_in_a_row })}
      {breaker.next_probe_at && (
        <>
          {' · '}
          {t('webhooks.nextProbe')} <NextTime at={breaker.next_probe_at} relative />
        </>
      )}
    </>
  );
}

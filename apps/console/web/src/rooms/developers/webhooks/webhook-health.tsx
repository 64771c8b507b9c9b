import { useRead } from '../../../data/use-read.ts';
import type { WebhookView } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import { DateTime, NextTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Figures } from '../../../ui/figures.tsx';
import { Section } from '../../../ui/section.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { failureColumns, failuresOf, spanColumns } from './health-columns.tsx';
import { SendProbe } from './send-probe.tsx';

/** The health of a webhook: what happens next, its success and latency, and its errors. */
export function WebhookHealth({ webhook }: { webhook: WebhookView }) {
  const { t, number } = useFormat();
  const health = useRead('GET /webhooks/:id/health', { id: webhook.id }, { refetchInterval: 30_000 });
  const { waiting, held } = webhook;
  const spans = health.data?.spans;
  return (
    <>
      <Figures
        figures={[
          {
            name: t('webhooks.breaker'),
            value: <BreakerState webhook={webhook} />,
            note: <BreakerNote webhook={webhook} />,
          },
          {
            name: t('webhooks.waiting'),
            value: number(waiting),
            note: held > 0 ? t('webhooks.heldNote', { count: held }) : <SendProbe webhook={webhook} />,
          },
        ]}
      />
      <Section
        title={t('webhooks.successTitle')}
        lead={
          health.data && (
            <>
              {t('webhooks.counted')} <DateTime at={health.data.counted_until} />
            </>
          )
        }
        flush
      >
        <DataList
          caption={t('webhooks.successTitle')}
          columns={spanColumns}
          rows={spans}
          keyOf={({ days }) => String(days)}
          error={health.error}
          retry={() => void health.refetch()}
          empty={null}
        />
      </Section>
      <Section title={t('webhooks.errors')} lead={t('webhooks.errorsLead')} flush>
        <DataList
          caption={t('webhooks.errors')}
          columns={failureColumns}
          rows={spans && failuresOf(webhook.id, spans)}
          keyOf={({ outcome }) => outcome}
          error={health.error}
          empty={
            <EmptyState
              title={t(spans?.at(-1)?.attempts === 0 ? 'webhooks.noAttempts' : 'webhooks.noErrors')}
            />
          }
        />
      </Section>
    </>
  );
}

function BreakerState({ webhook: { breaker, half_open: halfOpen } }: { webhook: WebhookView }) {
  const { t } = useFormat();
  if (breaker) return <Badge tone="bad">{t('webhooks.breakerOpen')}</Badge>;
  if (halfOpen) return <Badge tone="warn">{t('webhooks.breakerHalfOpen')}</Badge>;
  return <Badge tone="good">{t('webhooks.breakerClosed')}</Badge>;
}

function BreakerNote({ webhook: { breaker, half_open: halfOpen } }: { webhook: WebhookView }) {
  const { t } = useFormat();
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

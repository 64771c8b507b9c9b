import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { useSend } from '../../../data/use-send.ts';
import { usePathId } from '../../../app/paths.ts';
import type { DeliveryView } from '../../../data/types.ts';
import { useRight, useSession } from '../../../app/session-context.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { exactTime } from '../../../ui/format-time.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { notify } from '../../../ui/notifications.ts';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { AttemptPanel } from './attempt-panel.tsx';
import { DeliveryFacts } from './delivery-facts.tsx';
import { EventBody } from './event-body.tsx';
import { ProgressBadge } from './progress-badge.tsx';

/** One delivery: its details, its attempts and its body. */
export function Delivery() {
  const { t } = useTranslation();
  const id = usePathId();
  const delivery = useRead('GET /deliveries/:id', { id }, { refetchInterval: 2_000 });
  const retry = useSend('POST /deliveries/:id/retry', { id });
  const canEdit = useRight('correct');
  const { timezone } = useSession().merchant;
  const notifyRetried = ({ next_attempt_at: at }: DeliveryView) =>
    notify(
      at && Date.parse(at) > Date.now() + 1_000
        ? t('deliveries.retriedFor', { time: exactTime(at, timezone) })
        : t('deliveries.retried'),
    );
  return (
    <Page
      docs="webhooks#answering"
      title={t('deliveries.one')}
      aside={delivery.data && <ProgressBadge progress={delivery.data.progress} />}
      back={{ to: '/deliveries', label: t('nav.deliveries') }}
      actions={
        canEdit &&
        delivery.data && (
          <Button
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate(undefined, { onSuccess: notifyRetried })}
          >
            {t('deliveries.retry')}
          </Button>
        )
      }
    >
      <ErrorNotice error={retry.error} />
      <Loaded query={delivery}>
        {(view) => (
          <>
            <DeliveryFacts delivery={view} />
            <Section title={t('deliveries.attempts')} lead={t('deliveries.attemptsLead')} flush>
              {view.attempts.length === 0 ? (
                <EmptyState title={t('deliveries.noAttempts')} text={t('deliveries.noAttemptsText')} />
              ) : (
                view.attempts
                  .toReversed()
                  .map((attempt, index) => (
                    <AttemptPanel
                      key={attempt.number}
                      attempt={attempt}
                      body={view.event.body}
                      opened={index === 0}
                    />
                  ))
              )}
            </Section>
            <EventBody event={view.event} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

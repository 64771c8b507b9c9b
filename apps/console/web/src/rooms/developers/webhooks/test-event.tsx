import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { useSend } from '../../../data/use-send.ts';
import type { EventType, WebhookTestResponse } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { AttemptBadge } from '../../../ui/attempt-badge.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Section } from '../../../ui/section.tsx';
import { Snippet } from '../../../ui/snippet.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { TimingBar } from '../../../ui/timing-bar.tsx';

/** Sends a test event of a type and shows the response. */
export function TestEvent({ id }: { id: string }) {
  const { t } = useTranslation();
  const test = useSend('POST /webhooks/:id/test', { id });
  const eventTypes = useRead('GET /webhooks/event-types', {}, { staleTime: Infinity });
  const [type, setType] = useState<EventType>('webhook.ping');
  return (
    <Section
      title={t('webhooks.test')}
      lead={t('webhooks.testLead')}
      actions={
        <Group gap="xs">
          <NativeSelect
            aria-label={t('webhooks.testType')}
            size="xs"
            value={type}
            onChange={(event) => setType(event.currentTarget.value as EventType)}
            data={eventTypes.data ?? [type]}
          />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconSend size={15} aria-hidden />}
            loading={test.isPending}
            onClick={() => test.mutate({ type })}
          >
            {t('webhooks.testAction')}
          </Button>
        </Group>
      }
    >
      <div aria-live="polite">
        <ErrorNotice error={test.error} />
        {test.data && <TestResult result={test.data} />}
        {!test.data && !test.error && (
          <span style={{ color: 'var(--ink-soft)' }}>
            {test.isPending ? t('webhooks.testPending') : t('webhooks.testNone')}
          </span>
        )}
      </div>
    </Section>
  );
}

function TestResult({ result: { attempt, delivery_id: deliveryId } }: { result: WebhookTestResponse }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <div style={{ display: 'flex', gap: 12, flexWrap: 'wrap', alignItems: 'center' }}>
        <AttemptBadge attempt={attempt} />
        <TextLink to={pathOf.delivery(deliveryId)}>{t('webhooks.testDelivery')}</TextLink>
      </div>
      <TimingBar timings={attempt.timings} />
      {attempt.error_message && <p style={{ margin: 0 }}>{attempt.error_message}</p>}
      {attempt.response_body && (
        <Snippet name={t('deliveries.responseBody')} text={attempt.response_body} wrap />
      )}
    </Stack>
  );
}

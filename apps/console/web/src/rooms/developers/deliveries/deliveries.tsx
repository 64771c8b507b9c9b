import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useList, useRead } from '../../../data/use-read.ts';
import type { DeliveryAnswer, DeliveryListRow, DeliveryProgress } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { ListPage } from '../../../ui/list-page.tsx';
import { useDays } from '../../../ui/use-day-range.ts';
import { choice, openChoice, search, useFilters } from '../../../ui/use-filters.tsx';
import { answerText } from './answer-text.ts';
import { deliveryColumns } from './delivery-columns.tsx';
import { ReplaysOfAll } from '../webhooks/replays.tsx';
import { RetrySelected } from './retry-selected.tsx';

/** A chunk of its own, because its calendar is large. */
const NewReplay = lazy(() =>
  import('../webhooks/new-replay.tsx').then((module) => ({ default: module.NewReplay })),
);

const progresses = [
  'sending',
  'retrying',
  'waiting',
  'held',
  'delivered',
  'failed',
  'cancelled',
] as const satisfies DeliveryProgress[];

const errors = ['dns', 'connect', 'tls', 'timeout', 'reset', 'http', 'blocked', 'aborted'] as const;
const statuses = [
  '400',
  '401',
  '403',
  '404',
  '408',
  '410',
  '422',
  '429',
  '500',
  '502',
  '503',
  '504',
] as const;
const answers = [
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  ...statuses,
  'none',
  ...errors,
] as const satisfies DeliveryAnswer[];

/** The most deliveries that one call retries. */
const mostRetried = 100;

/** All deliveries. */
export function Deliveries() {
  const { t } = useTranslation();
  const canRetry = useRight('correct');
  const canReplay = useRight('integrate');
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [replaying, replay] = useDisclosure(false);
  const webhooks = useList('GET /webhooks', {}, 5_000).rows ?? [];
  const eventTypes = useRead('GET /webhooks/event-types', {}, { staleTime: Infinity });
  const filters = useFilters(
    {
      search: search(t('deliveries.search')),
      progress: choice({
        label: t('fields.state'),
        all: t('common.allStates'),
        values: progresses,
        textOf: (progress) => t(`deliveries.progress.${progress}`),
      }),
      answer: openChoice<DeliveryAnswer>({
        label: t('deliveries.lastResponse'),
        all: t('deliveries.allAnswers'),
        values: answers,
        textOf: (answer) => answerText(t, answer),
      }),
      min_attempts: choice({
        label: t('deliveries.attempts'),
        all: t('deliveries.anyAttempts'),
        values: ['2', '5', '10'] as const,
        textOf: (least) => t('deliveries.attemptsFrom', { number: least }),
      }),
      endpoint_id: openChoice({
        label: t('fields.webhook'),
        all: t('deliveries.allWebhooks'),
        values: webhooks.map(({ id }) => id),
        textOf: (id) => webhooks.find((webhook) => webhook.id === id)?.label ?? id,
      }),
      event_type: openChoice({
        label: t('fields.event'),
        all: t('deliveries.allEvents'),
        values: eventTypes.data ?? [],
        textOf: (type) => type,
      }),
    },
    { days: true },
  );
  const { min_attempts: least, ...query } = filters.query;
  const deliveries = useList(
    'GET /deliveries',
    { ...query, ...(least && { min_attempts: Number(least) }) },
    3_000,
  );
  const { answer, endpoint_id: webhookId, search: text, progress, event_type: type } = query;
  const days = useDays();
  // Rows that are selected must be those of the list.
  const filtered = JSON.stringify(filters.query);
  const [selectedIn, setSelectedIn] = useState(filtered);
  if (selectedIn !== filtered) {
    setSelectedIn(filtered);
    setKeys(new Set());
  }
  return (
    <ListPage
      docs="webhooks#retries"
      title={t('nav.deliveries')}
      lead={t('deliveries.lead')}
      actions={
        canReplay && (
          <Button variant="default" onClick={replay.open}>
            {t('replays.add')}
          </Button>
        )
      }
      filters={filters}
      pages={deliveries}
      columns={deliveryColumns}
      linkOf={({ id }) => pathOf.delivery(id)}
      selection={
        canRetry
          ? {
              keys,
              set: setKeys,
              most: mostRetried,
              nameOf: ({ id }: DeliveryListRow) => t('deliveries.select', { id }),
            }
          : undefined
      }
      empty={{
        title: t('deliveries.empty'),
        text: t('deliveries.emptyText'),
        next: { to: '/webhooks', label: t('deliveries.emptyAction') },
      }}
    >
      {keys.size > 0 && <RetrySelected ids={[...keys]} most={mostRetried} clear={() => setKeys(new Set())} />}
      {canReplay && <ReplaysOfAll />}
      <Suspense fallback={null}>
        {replaying && (
          <NewReplay
            id={webhookId ?? null}
            days={days.from && days.to ? [days.from, days.to] : undefined}
            hasOtherFilters={[text, progress, least, type].some((value) => value !== undefined)}
            onClose={replay.close}
            {...(answer && { answers: [answer] })}
          />
        )}
      </Suspense>
    </ListPage>
  );
}

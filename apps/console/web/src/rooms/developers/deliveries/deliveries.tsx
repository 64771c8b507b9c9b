import { useTranslation } from 'react-i18next';
import { useList, useRead } from '../../../data/use-read.ts';
import type { DeliveryState } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { ListPage } from '../../../ui/list-page.tsx';
import { choice, openChoice, search, useFilters } from '../../../ui/use-filters.tsx';
import { deliveryColumns } from './delivery-columns.tsx';

const states = ['pending', 'held', 'delivered', 'exhausted', 'cancelled'] as const satisfies DeliveryState[];

/** All deliveries. */
export function Deliveries() {
  const { t } = useTranslation();
  const webhooks = useList('GET /webhooks', {}, 5_000).rows ?? [];
  const eventTypes = useRead('GET /webhooks/event-types', {}, { staleTime: Infinity });
  const filters = useFilters(
    {
      search: search(t('deliveries.search')),
      state: choice({
        label: t('fields.state'),
        all: t('common.allStates'),
        values: states,
        textOf: (state) => t(`states.${state}`),
      }),
      endpoint_id: openChoice({
        label: t('fields.webhook'),
        all: t('deliveries.allWebhooks'),
        values: webhooks.map(({ id }) => id),
        textOf: (id) => webhooks.find((webhook) => webhook.id === id)?.url ?? id,
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
  const deliveries = useList('GET /deliveries', filters.query, 3_000);
  return (
    <ListPage
      docs="webhooks#retries"
      title={t('nav.deliveries')}
      lead={t('deliveries.lead')}
      filters={filters}
      pages={deliveries}
      columns={deliveryColumns}
      linkOf={({ id }) => pathOf.delivery(id)}
      empty={{
        title: t('deliveries.empty'),
        text: t('deliveries.emptyText'),
        next: { to: '/webhooks', label: t('deliveries.emptyAction') },
      }}
    />
  );
}

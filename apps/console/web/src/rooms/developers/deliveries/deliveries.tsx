import { useTranslation } from 'react-i18next';
import { useList, useRead } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { DayRangeFilter } from '../../../ui/day-range-filter.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FilterBar } from '../../../ui/filters.tsx';
import { FilterSelect } from '../../../ui/filters.tsx';
import { LinkButton } from '../../../ui/links.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedList } from '../../../ui/data-list.tsx';
import { SearchField } from '../../../ui/filters.tsx';
import { Section } from '../../../ui/section.tsx';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { useDeliveryColumns } from './use-delivery-columns.tsx';
import { deliveryStates, useDeliveryFilter } from './use-delivery-filter.ts';

/** All deliveries. The filters are in the URL. */
export function Deliveries() {
  const { t } = useTranslation();
  const [, set] = useQueryState();
  const filter = useDeliveryFilter();
  const deliveries = useList('GET /deliveries', filter, 3_000);
  const webhooks = useList('GET /webhooks', {}, 5_000);
  const eventTypes = useRead('GET /webhooks/event-types', {}, { staleTime: Infinity });
  return (
    <Page docs="webhooks#retries" title={t('nav.deliveries')} lead={t('deliveries.lead')}>
      <FilterBar>
        <SearchField
          label={t('deliveries.search')}
          value={filter.search ?? ''}
          onSearch={(value) => set({ search: value })}
        />
        <FilterSelect
          label={t('fields.state')}
          all={t('common.allStates')}
          value={filter.state}
          onChange={(value) => set({ state: value })}
          options={deliveryStates.map((value) => ({ value, label: t(`states.${value}`) }))}
        />
        <FilterSelect
          label={t('fields.webhook')}
          all={t('deliveries.allWebhooks')}
          value={filter.endpoint_id}
          onChange={(value) => set({ endpoint_id: value })}
          options={(webhooks.rows ?? []).map(({ id, url }) => ({ value: id, label: url }))}
        />
        <FilterSelect
          label={t('fields.event')}
          all={t('deliveries.allEvents')}
          value={filter.event_type}
          onChange={(value) => set({ event_type: value })}
          options={(eventTypes.data ?? []).map((value) => ({ value, label: value }))}
        />
        <DayRangeFilter />
      </FilterBar>
      <Section flush>
        <PagedList
          caption={t('nav.deliveries')}
          pages={deliveries}
          columns={useDeliveryColumns()}
          keyOf={({ id }) => id}
          linkOf={({ id }) => pathOf.delivery(id)}
          empty={
            Object.keys(filter).length > 0 ? (
              <EmptyState title={t('common.noResults')} text={t('common.noMatches')} />
            ) : (
              <EmptyState
                title={t('deliveries.empty')}
                text={t('deliveries.emptyText')}
                action={<LinkButton to="/webhooks">{t('deliveries.emptyAction')}</LinkButton>}
              />
            )
          }
        />
      </Section>
    </Page>
  );
}

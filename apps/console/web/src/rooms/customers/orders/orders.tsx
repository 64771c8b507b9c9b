import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FilterBar } from '../../../ui/filters.tsx';
import { LinkButton } from '../../../ui/links.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedList } from '../../../ui/data-list.tsx';
import { SearchField } from '../../../ui/filters.tsx';
import { Section } from '../../../ui/section.tsx';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { useOrderColumns } from './use-order-columns.tsx';

/** All orders, with a search by order id and member id. */
export function Orders() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const [search, memberId] = [get('search') ?? '', get('member_id') ?? ''];
  const orders = useList('GET /orders', { search, member_id: memberId }, 5_000);
  return (
    <Page docs="api#send-orders" title={t('nav.orders')} lead={t('orders.lead')}>
      <FilterBar>
        <SearchField
          label={t('orders.searchOrder')}
          value={search}
          onSearch={(value) => set({ search: value })}
        />
        <SearchField
          label={t('orders.searchMember')}
          value={memberId}
          onSearch={(value) => set({ member_id: value })}
        />
      </FilterBar>
      <Section flush>
        <PagedList
          caption={t('nav.orders')}
          pages={orders}
          columns={useOrderColumns()}
          keyOf={({ order_id }) => order_id}
          linkOf={({ order_id }) => pathOf.order(order_id)}
          empty={
            search || memberId ? (
              <EmptyState title={t('common.noResults')} text={t('orders.notFoundText')} />
            ) : (
              <EmptyState
                title={t('orders.empty')}
                text={t('orders.emptyText')}
                action={<LinkButton to="/credentials#snippets">{t('orders.emptyAction')}</LinkButton>}
              />
            )
          }
        />
      </Section>
    </Page>
  );
}

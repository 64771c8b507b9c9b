import { useTranslation } from 'react-i18next';
import { useOrders } from '../../../data/orders.ts';
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
import { ProblemNotices } from '../../home/problems/problem-notices.tsx';

/** All orders, with a search by order id and member id. */
export function Orders() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const [orderId, memberId] = [get('order_id') ?? '', get('member_id') ?? ''];
  const orders = useOrders({ order_id: orderId, member_id: memberId });
  return (
    <Page docs="api#send-orders" title={t('nav.orders')} lead={t('orders.lead')}>
      <ProblemNotices about={{ kind: 'orders_without_referrer' }} />
      <FilterBar>
        <SearchField
          label={t('orders.searchOrder')}
          value={orderId}
          onSearch={(value) => set({ order_id: value })}
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
            orderId || memberId ? (
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

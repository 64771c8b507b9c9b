import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { search, useFilters } from '../../../ui/use-filters.tsx';
import { orderColumns } from './order-columns.tsx';

/** All orders, with a search by order id and member id. */
export function Orders() {
  const { t } = useTranslation();
  const filters = useFilters({
    search: search(t('orders.searchOrder')),
    member_id: search(t('orders.searchMember')),
  });
  const orders = useList('GET /orders', filters.query, 5_000);
  return (
    <ListPage
      docs="api#send-orders"
      title={t('nav.orders')}
      lead={t('orders.lead')}
      filters={filters}
      notices={<ProblemNotices about={{ kind: 'orders_without_referrer' }} />}
      pages={orders}
      columns={orderColumns}
      linkOf={({ order_id: id }) => pathOf.order(id)}
      noMatches={t('orders.notFoundText')}
      empty={{
        title: t('orders.empty'),
        text: t('orders.emptyText'),
        next: { to: '/credentials#snippets', label: t('orders.emptyAction') },
      }}
    />
  );
}

import type { OrderListItem } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { OutcomeCell } from './order-outcome.tsx';
import { OrderStateBadge } from './order-state-badge.tsx';

/** The columns of a list of orders. A list of one member omits the member. */
const columns =
  (withMember: boolean): Columns<OrderListItem> =>
  ({ t, won }) => [
    idColumn(t('fields.order'), (order) => order.order_id, pathOf.order),
    ...(withMember
      ? [idColumn<OrderListItem>(t('fields.member'), (order) => order.member_id, pathOf.member)]
      : []),
    { header: t('fields.state'), width: 92, cell: (order) => <OrderStateBadge order={order} /> },
    { header: t('orders.paid'), width: 105, cell: ({ paid_now }) => won(paid_now), end: true },
    {
      header: t('outcomes.column'),
      width: 200,
      cell: (order) => <OutcomeCell order={order} />,
      wraps: true,
    },
    { header: t('orders.orderDate'), width: 120, cell: ({ order_date: at }) => <DateTime at={at} /> },
    { header: t('orders.stored'), width: 100, cell: ({ updated_at: at }) => <DateTime at={at} relative /> },
  ];

export const orderColumns = columns(true);
export const ordersOfMemberColumns = columns(false);

import { useTranslation } from 'react-i18next';
import type { OrderListItem } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Column } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { OutcomeCell } from './order-outcome.tsx';
import { OrderStateBadge } from './order-state-badge.tsx';

/** The columns of a list of orders. A list of one member omits the member. */
export function useOrderColumns(withMember = true): Column<OrderListItem>[] {
  const { t } = useTranslation();
  const { won } = useFormat();
  return [
    {
      header: t('fields.order'),
      cell: ({ order_id }) => (
        <Identifier value={order_id} name={t('fields.order')} to={pathOf.order(order_id)} />
      ),
    },
    ...(withMember
      ? [
          {
            header: t('fields.member'),
            cell: ({ member_id }: OrderListItem) => (
              <Identifier value={member_id} name={t('fields.member')} to={pathOf.member(member_id)} />
            ),
          },
        ]
      : []),
    { header: t('fields.state'), cell: (order) => <OrderStateBadge order={order} /> },
    { header: t('orders.paid'), cell: ({ paid_now }) => won(paid_now), end: true },
    { header: t('outcomes.column'), cell: (order) => <OutcomeCell order={order} />, width: 'wide' },
    { header: t('orders.orderDate'), cell: ({ order_date }) => <DateTime at={order_date} /> },
    { header: t('orders.stored'), cell: ({ updated_at }) => <DateTime at={updated_at} relative /> },
  ];
}

import type { OrderView } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import type { Columns } from '../../../ui/data-list.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { Section } from '../../../ui/section.tsx';
import { useFormat } from '../../../ui/use-format.ts';

const columns: Columns<OrderView['items'][number]> = ({ t, won, number }) => [
  {
    header: t('orders.product'),
    width: 240,
    wraps: true,
    cell: ({ product_name, cancelled_at }) => (
      <span>
        {product_name} {cancelled_at && <Badge tone="idle">{t('orderStates.cancelled')}</Badge>}
      </span>
    ),
  },
  idColumn(t('orders.productId'), (item) => item.product_id),
  idColumn('SKU', (item) => item.sku || null),
  { header: t('orders.quantity'), width: 70, cell: ({ quantity }) => number(quantity), end: true },
  { header: t('orders.price'), width: 100, cell: ({ price }) => won(price), end: true },
  { header: t('orders.paid'), width: 100, cell: ({ paid_amount }) => won(paid_amount), end: true },
];

/** The first products of an order, which are all of nearly every order. */
export function OrderItems({ order: { items, items_count: count } }: { order: OrderView }) {
  const { t, number } = useFormat();
  return (
    <Section
      title={t('orders.items')}
      lead={
        count > items.length && t('orders.firstItems', { shown: number(items.length), count: number(count) })
      }
      flush
    >
      <DataList
        caption={t('orders.items')}
        rows={items}
        keyOf={(item) => `${items.indexOf(item)}`}
        empty={null}
        columns={columns}
      />
    </Section>
  );
}

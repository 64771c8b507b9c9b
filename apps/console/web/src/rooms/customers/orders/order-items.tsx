import { useTranslation } from 'react-i18next';
import type { OrderView } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { Section } from '../../../ui/section.tsx';
import { useFormat } from '../../../ui/use-format.ts';

/** The first products of an order, which are all of nearly every order. */
export function OrderItems({ order: { items, items_count: count } }: { order: OrderView }) {
  const { t } = useTranslation();
  const { won, number } = useFormat();
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
        columns={[
          {
            header: t('orders.product'),
            cell: ({ product_name, cancelled_at }) => (
              <span>
                {product_name} {cancelled_at && <Badge tone="idle">{t('orderStates.cancelled')}</Badge>}
              </span>
            ),
          },
          {
            header: t('orders.productId'),
            cell: ({ product_id }) => <Identifier value={product_id} name={t('orders.productId')} />,
          },
          { header: 'SKU', cell: ({ sku }) => (sku ? <Identifier value={sku} name="SKU" /> : '–') },
          { header: t('orders.quantity'), cell: ({ quantity }) => number(quantity), end: true },
          { header: t('orders.price'), cell: ({ price }) => won(price), end: true },
          { header: t('orders.paid'), cell: ({ paid_amount }) => won(paid_amount), end: true },
        ]}
      />
    </Section>
  );
}

import { useTranslation } from 'react-i18next';
import type { OrderView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { Section } from '../../../ui/section.tsx';
import { useFormat } from '../../../ui/use-format.ts';

/** The newest state of an order. */
export function OrderFacts({ order }: { order: OrderView }) {
  const { t } = useTranslation();
  const { won, number } = useFormat();
  const money = (value: number) =>
    order.currency === 'KRW' ? won(value) : `${number(value)} ${order.currency}`;
  const time = (at: string | null) => (at ? <DateTime at={at} /> : null);
  return (
    <Section title={t('orders.data')} lead={t('orders.dataLead')}>
      <Facts
        facts={[
          [
            t('fields.member'),
            <Identifier
              value={order.member_id}
              name={t('fields.member')}
              to={pathOf.member(order.member_id)}
            />,
          ],
          [t('orders.paid'), money(order.paid_amount)],
          [t('orders.paidNow'), order.paid_now === order.paid_amount ? undefined : money(order.paid_now)],
          [t('orders.amount'), money(order.order_amount)],
          [t('orders.shipping'), money(order.shipping_amount)],
          [t('orders.orderDate'), time(order.order_date)],
          [t('orders.paidAt'), time(order.paid_at)],
          [t('orders.cancelledAt'), time(order.cancelled_at)],
          [t('orders.returnedAt'), time(order.returned_at)],
          [t('orders.firstOrder'), order.first_order ? t('common.yes') : t('common.no')],
          [t('orders.firstStored'), time(order.created_at)],
          [t('orders.lastStored'), time(order.updated_at)],
        ]}
      />
    </Section>
  );
}

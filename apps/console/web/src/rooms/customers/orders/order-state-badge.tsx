import { useTranslation } from 'react-i18next';
import type { OrderView } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';

/** The state of an order. Orders have no stored state: it follows from their times and those of their products. */
export function OrderStateBadge({
  order,
}: {
  order: Pick<OrderView, 'paid_at' | 'cancelled_at' | 'returned_at' | 'every_product_cancelled'>;
}) {
  const { t } = useTranslation();
  if (order.cancelled_at || order.every_product_cancelled)
    return <Badge tone="idle">{t('orderStates.cancelled')}</Badge>;
  if (order.returned_at) return <Badge tone="warn">{t('orderStates.returned')}</Badge>;
  if (order.paid_at) return <Badge tone="good">{t('orderStates.paid')}</Badge>;
  return <Badge tone="info">{t('orderStates.placed')}</Badge>;
}

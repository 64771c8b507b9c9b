import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { usePathId } from '../../../app/paths.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { OrderFacts } from './order-facts.tsx';
import { OrderItems } from './order-items.tsx';
import { OrderRewards } from './order-rewards.tsx';
import { OrderStateBadge } from './order-state-badge.tsx';
import { Timeline } from './timeline.tsx';
import { DecisionPanel } from './decision-panel.tsx';

/** One order: its reward decision, its data and its timeline. */
export function Order() {
  const { t } = useTranslation();
  const orderId = usePathId();
  const order = useRead('GET /orders/:order_id', { order_id: orderId }, { refetchInterval: 5_000 });
  return (
    <Page
      docs="rewards#why-an-order-earned-what-it-did"
      title={orderId}
      aside={order.data && <OrderStateBadge order={order.data.order} />}
      back={{ to: '/orders', label: t('nav.orders') }}
    >
      <Loaded query={order}>
        {({ order: stored, explanation }) => (
          <>
            <DecisionPanel explanation={explanation} />
            <OrderRewards orderId={orderId} />
            <OrderFacts order={stored} />
            {stored.items.length > 0 && <OrderItems order={stored} />}
            <Timeline timeline={explanation.timeline} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

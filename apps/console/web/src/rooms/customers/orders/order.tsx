import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../data/api-error.ts';
import { useRead } from '../../../data/use-read.ts';
import { usePathId } from '../../../app/paths.ts';
import { useSession } from '../../../app/session-context.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { OrderFacts } from './order-facts.tsx';
import { OrderItems } from './order-items.tsx';
import { OutcomeLines } from './order-outcome.tsx';
import { OrderRewards } from './order-rewards.tsx';
import { OrderStateBadge } from './order-state-badge.tsx';
import { Timeline } from './timeline.tsx';
import { DecisionPanel } from './decision-panel.tsx';

/** One order: what became of it, its reward decision, its data and its timeline. */
export function Order() {
  const { t } = useTranslation();
  const orderId = usePathId();
  const order = useRead('GET /orders/:order_id', { order_id: orderId }, { refetchInterval: 5_000 });
  const isUnknown = order.error instanceof ApiError && order.error.code === 'not_found' && !order.data;
  return (
    <Page
      docs="rewards#why-an-order-earned-what-it-did"
      title={orderId}
      aside={order.data && <OrderStateBadge order={order.data.order} />}
      back={{ to: '/orders', label: t('nav.orders') }}
    >
      {isUnknown ? (
        <UnknownOrder orderId={orderId} />
      ) : (
        <Loaded query={order}>
          {(response) => (
            <>
              <OutcomeLines response={response} />
              <DecisionPanel response={response} />
              <OrderRewards orderId={orderId} />
              <OrderFacts order={response.order} />
              {response.order.items.length > 0 && <OrderItems order={response.order} />}
              <Timeline timeline={response.explanation.timeline} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** Shown for an id that this shop has no order of. */
function UnknownOrder({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const { merchant, merchants } = useSession();
  return (
    <Section>
      <EmptyState
        title={t('outcomes.notFound', { order: orderId, shop: merchant.name })}
        text={t(merchants.length > 1 ? 'outcomes.notFoundOtherShop' : 'outcomes.notFoundText')}
        next={{ to: '/orders', label: t('outcomes.search') }}
      />
    </Section>
  );
}

import { reasonCodes } from '@rewardhook/rewards';
import type { ReasonCode } from '@rewardhook/rewards';
import { useTranslation } from 'react-i18next';
import type { OrderDecision, OrderState } from '../../../data/types.ts';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { choice, search, useFilters } from '../../../ui/use-filters.tsx';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { orderColumns } from './order-columns.tsx';

const states = ['placed', 'paid', 'cancelled', 'returned'] as const satisfies OrderState[];

/** The outcomes of orders without a decision. */
const undecided = {
  no_referrer: 'outcomes.noReferrer',
  evaluating: 'outcomes.evaluating',
  stopped: 'outcomes.stopped',
} as const;
const decisions = [
  ...(Object.keys(undecided) as (keyof typeof undecided)[]),
  ...reasonCodes.filter((reason) => reason !== 'evaluation_failed'),
] satisfies OrderDecision[];

/** All orders, with filters and a CSV export. */
export function Orders() {
  const { t } = useTranslation();
  const [get] = useQueryState();
  const filters = useFilters(
    {
      search: search(t('orders.searchOrder')),
      member_id: search(t('orders.searchMember')),
      state: choice({
        label: t('fields.state'),
        all: t('common.allStates'),
        values: states,
        textOf: (state) => t(`orderStates.${state}`),
      }),
      decision: choice({
        label: t('outcomes.column'),
        all: t('outcomes.all'),
        values: decisions,
        textOf: (decision) =>
          decision in undecided
            ? t(undecided[decision as keyof typeof undecided])
            : t(`reasons.${decision as ReasonCode}`),
      }),
      referred: choice({
        label: t('orders.referred'),
        all: t('orders.referredOrNot'),
        values: ['all', 'first'] as const,
        textOf: (which) => t(which === 'all' ? 'orders.referredAll' : 'orders.referredFirst'),
      }),
    },
    { days: t(get('referred') ? 'orders.orderedAnyTime' : 'orders.receivedAnyTime') },
  );
  const orders = useList('GET /orders', filters.query, 5_000);
  return (
    <ListPage
      docs="api#send-orders"
      title={t('nav.orders')}
      lead={t('orders.lead')}
      csv="orders"
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

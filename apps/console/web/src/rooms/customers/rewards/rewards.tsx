import { keepPreviousData } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useList, useRead } from '../../../data/use-read.ts';
import type { RewardFilter, RewardRole, RewardState } from '../../../data/types.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Figures } from '../../../ui/figures.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { choice, search, useFilters } from '../../../ui/use-filters.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { rewardColumns } from './reward-columns.tsx';

const states = ['pending', 'confirmed', 'revoked', 'cancelled'] as const satisfies RewardState[];
const roles = ['referee', 'referrer'] as const satisfies RewardRole[];

/** The times that can be filtered by, beside that of creation. */
const times = ['confirmed', 'revoked'] as const;

/** All rewards, with filters, the sums of what they select, and a CSV export. */
export function Rewards() {
  const { t } = useTranslation();
  const [get] = useQueryState();
  const by = times.find((time) => time === get('by')) ?? 'given';
  const filters = useFilters(
    {
      member_id: search(t('orders.searchMember')),
      state: choice({
        label: t('fields.state'),
        all: t('common.allStates'),
        values: states,
        textOf: (state) => t(`states.${state}`),
      }),
      by: choice({
        label: t('rewards.days'),
        all: t('rewards.daysOf.given'),
        values: times,
        textOf: (time) => t(`rewards.daysOf.${time}`),
      }),
      role: choice({
        label: t('rewards.role'),
        all: t('rewards.allRoles'),
        values: roles,
        textOf: (role) => t(`rewardRoles.${role}`),
      }),
    },
    { days: t(`rewards.anyTime.${by}`) },
  );
  const rewards = useList('GET /rewards', filters.query, 5_000);
  return (
    <ListPage
      docs="rewards#hold-confirmation-revocation"
      title={t('nav.rewards')}
      lead={t('rewards.lead')}
      csv="rewards"
      filters={filters}
      summary={rewards.rows?.length !== 0 && <Sums filter={filters.query} />}
      pages={rewards}
      columns={rewardColumns}
      empty={{
        title: t('rewards.empty'),
        text: t('rewards.emptyText'),
        next: { to: '/program', label: t('rewards.emptyAction') },
      }}
    />
  );
}

/** The sums of the rewards that match the filters, by unit. */
function Sums({ filter }: { filter: RewardFilter }) {
  const { t } = useTranslation();
  const { amount, number } = useFormat();
  const { data, error, refetch } = useRead('GET /rewards/sums', filter, {
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
  if (!data) return <ErrorNotice error={error} retry={() => void refetch()} />;
  const figures = data.totals.map(({ unit, rewards, amount: sum }) => ({
    name: t('rewards.sum', { count: rewards, number: number(rewards) }),
    value: amount(sum, unit),
  }));
  return (
    <>
      {figures.length > 0 && <Figures figures={figures} />}
      {data.newest !== null && (
        <p role="status">{t('rewards.sumOfNewest', { number: number(data.newest) })}</p>
      )}
    </>
  );
}

import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import type { RewardRole, RewardState } from '../../../data/types.ts';
import { ListPage } from '../../../ui/list-page.tsx';
import { choice, search, useFilters } from '../../../ui/use-filters.tsx';
import { rewardColumns } from './reward-columns.tsx';

const states = ['pending', 'confirmed', 'revoked', 'cancelled'] as const satisfies RewardState[];
const roles = ['referee', 'referrer'] as const satisfies RewardRole[];

/** All rewards, with filters and a CSV export. */
export function Rewards() {
  const { t } = useTranslation();
  const filters = useFilters(
    {
      member_id: search(t('orders.searchMember')),
      state: choice({
        label: t('fields.state'),
        all: t('common.allStates'),
        values: states,
        textOf: (state) => t(`states.${state}`),
      }),
      role: choice({
        label: t('rewards.role'),
        all: t('rewards.allRoles'),
        values: roles,
        textOf: (role) => t(`rewardRoles.${role}`),
      }),
    },
    { days: true },
  );
  const rewards = useList('GET /rewards', filters.query, 5_000);
  return (
    <ListPage
      docs="rewards#hold-confirmation-revocation"
      title={t('nav.rewards')}
      lead={t('rewards.lead')}
      csv="rewards"
      filters={filters}
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

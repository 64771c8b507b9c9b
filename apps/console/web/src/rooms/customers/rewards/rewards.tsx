import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import type { RewardFilter, RewardRole, RewardState } from '../../../data/types.ts';
import { CsvButton } from '../../../ui/csv-button.tsx';
import { DayRangeFilter } from '../../../ui/day-range-filter.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FilterBar } from '../../../ui/filters.tsx';
import { FilterSelect } from '../../../ui/filters.tsx';
import { LinkButton } from '../../../ui/links.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedList } from '../../../ui/data-list.tsx';
import { SearchField } from '../../../ui/filters.tsx';
import { Section } from '../../../ui/section.tsx';
import { useDayRange } from '../../../ui/use-day-range.ts';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { useRewardColumns } from './use-reward-columns.tsx';

const states = ['pending', 'confirmed', 'revoked', 'cancelled'] as const satisfies RewardState[];
const roles = ['referee', 'referrer'] as const satisfies RewardRole[];

/** All rewards, with filters and a CSV export. */
export function Rewards() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const state = states.find((one) => one === get('state'));
  const role = roles.find((one) => one === get('role'));
  const memberId = get('member_id') ?? '';
  const filter: RewardFilter = {
    ...(state ? { state } : {}),
    ...(role ? { role } : {}),
    ...(memberId ? { member_id: memberId } : {}),
    ...useDayRange(),
  };
  const rewards = useList('GET /rewards', filter, 5_000);
  return (
    <Page
      docs="rewards#hold-confirmation-revocation"
      title={t('nav.rewards')}
      lead={t('rewards.lead')}
      actions={<CsvButton list="rewards" filter={filter} />}
    >
      <FilterBar>
        <SearchField
          label={t('orders.searchMember')}
          value={memberId}
          onSearch={(value) => set({ member_id: value })}
        />
        <FilterSelect
          label={t('fields.state')}
          all={t('common.allStates')}
          value={state}
          onChange={(value) => set({ state: value })}
          options={states.map((value) => ({ value, label: t(`states.${value}`) }))}
        />
        <FilterSelect
          label={t('rewards.role')}
          all={t('rewards.allRoles')}
          value={role}
          onChange={(value) => set({ role: value })}
          options={roles.map((value) => ({ value, label: t(`rewardRoles.${value}`) }))}
        />
        <DayRangeFilter />
      </FilterBar>
      <Section flush>
        <PagedList
          caption={t('nav.rewards')}
          pages={rewards}
          columns={useRewardColumns()}
          keyOf={({ id }) => id}
          empty={
            Object.keys(filter).length > 0 ? (
              <EmptyState title={t('common.noResults')} text={t('common.noMatches')} />
            ) : (
              <EmptyState
                title={t('rewards.empty')}
                text={t('rewards.emptyText')}
                action={
                  <LinkButton to="/program" variant="default">
                    {t('rewards.emptyAction')}
                  </LinkButton>
                }
              />
            )
          }
        />
      </Section>
    </Page>
  );
}

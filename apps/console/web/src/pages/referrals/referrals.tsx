import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useReferrals } from '../../api/members.ts';
import { pathOf } from '../../app/paths.ts';
import { CsvButton } from '../../components/csv-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar } from '../../components/filters.tsx';
import { LinkButton } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { PagedList } from '../../components/data-list.tsx';
import { SearchField } from '../../components/filters.tsx';
import { Section } from '../../components/section.tsx';
import { useQueryState } from '../../hooks/use-query-state.ts';
import { useReferralColumns } from './use-referral-columns.tsx';

/** All referrals, with filters. */
export function Referrals() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const memberId = get('member_id') ?? '';
  const flagged = get('flagged') === 'true';
  const pending = get('review') === 'pending';
  const filter = {
    ...(flagged ? { flagged: 'true' as const } : {}),
    ...(pending ? { review: 'pending' as const } : {}),
    ...(memberId ? { member_id: memberId } : {}),
  };
  const referrals = useReferrals(filter);
  return (
    <Page
      docs="linking#flags-and-review"
      title={t('nav.referrals')}
      lead={t('referrals.lead')}
      actions={<CsvButton list="referrals" filter={filter} />}
    >
      <FilterBar>
        <SearchField
          label={t('referrals.search')}
          value={memberId}
          onSearch={(value) => set({ member_id: value })}
        />
        <Switch
          label={t('referrals.pendingOnly')}
          checked={pending}
          onChange={(event) => set({ review: event.currentTarget.checked ? 'pending' : null })}
        />
        <Switch
          label={t('referrals.flaggedOnly')}
          checked={flagged}
          onChange={(event) => set({ flagged: event.currentTarget.checked ? 'true' : null })}
        />
      </FilterBar>
      <Section flush>
        <PagedList
          caption={t('nav.referrals')}
          pages={referrals}
          columns={useReferralColumns()}
          keyOf={({ id }) => id}
          linkOf={({ id }) => pathOf.referral(id)}
          empty={
            memberId || flagged || pending ? (
              <EmptyState title={t('common.noResults')} text={t('common.noMatches')} />
            ) : (
              <EmptyState
                title={t('referrals.empty')}
                text={t('referrals.emptyText')}
                action={
                  <LinkButton to="/credentials#linking" variant="default">
                    {t('members.emptyAction')}
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

import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useReferrals } from '../../../data/members.ts';
import { pathOf } from '../../../app/paths.ts';
import { CsvButton } from '../../../ui/csv-button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FilterBar } from '../../../ui/filters.tsx';
import { LinkButton } from '../../../ui/links.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedList } from '../../../ui/data-list.tsx';
import { SearchField } from '../../../ui/filters.tsx';
import { Section } from '../../../ui/section.tsx';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { useReferralColumns } from './use-referral-columns.tsx';
import { ProblemNotices } from '../../home/problems/problem-notices.tsx';

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
      <ProblemNotices about={{ kind: 'referrals_to_review' }} />
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

import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { search, useFilters } from '../../../ui/use-filters.tsx';
import type { Filter } from '../../../ui/use-filters.tsx';
import { referralColumns } from './referral-columns.tsx';

/** All referrals, with filters. */
export function Referrals() {
  const { t } = useTranslation();
  const filters = useFilters({
    member_id: search(t('referrals.search')),
    review: onlyWith('pending', t('referrals.pendingOnly')),
    flagged: onlyWith('true', t('referrals.flaggedOnly')),
  });
  const { flagged, ...query } = filters.query;
  const referrals = useList('GET /referrals', { ...query, ...(flagged && { flagged: true }) });
  return (
    <ListPage
      docs="linking#flags-and-review"
      title={t('nav.referrals')}
      lead={t('referrals.lead')}
      csv="referrals"
      filters={filters}
      notices={<ProblemNotices about={{ kind: 'referrals_to_review' }} />}
      pages={referrals}
      columns={referralColumns}
      linkOf={({ id }) => pathOf.referral(id)}
      empty={{
        title: t('referrals.empty'),
        text: t('referrals.emptyText'),
        next: { to: '/credentials#linking', label: t('members.emptyAction') },
      }}
    />
  );
}

/** A switch that limits the list to rows with a value. */
const onlyWith = <Value extends string>(value: Value, label: string): Filter<Value> => ({
  parse: (text) => (text === value ? value : undefined),
  field: (now, set) => (
    <Switch
      label={label}
      checked={now !== undefined}
      onChange={(event) => set(event.currentTarget.checked ? value : undefined)}
    />
  ),
});

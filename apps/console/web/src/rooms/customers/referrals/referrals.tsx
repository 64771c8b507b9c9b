import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ReferralFilter, ReferralRow } from '../../../data/types.ts';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { PagedList } from '../../../ui/paged-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { choice, search, useFilters } from '../../../ui/use-filters.tsx';
import type { Filter } from '../../../ui/use-filters.tsx';
import { referralColumns } from './referral-columns.tsx';

const reviews = ['pending', 'accepted', 'rejected', 'none'] as const satisfies ReferralRow['review'][];

/** All referrals, with filters; above them those that wait for a review. */
export function Referrals() {
  const { t } = useTranslation();
  const filters = useFilters(
    {
      member_id: search(t('referrals.search')),
      review: choice({
        label: t('referrals.review'),
        all: t('referrals.anyReview'),
        values: reviews,
        textOf: (review) => t(`referrals.reviews.${review}`),
      }),
      counted: onlyWith('true', t('referrals.countedOnly')),
      flagged: onlyWith('true', t('referrals.flaggedOnly')),
    },
    { days: t('referrals.linkedAnyTime') },
  );
  const { flagged, counted, ...rest } = filters.query;
  const query = { ...rest, ...(flagged && { flagged: true }), ...(counted && { counted: true }) };
  const referrals = useList('GET /referrals', query);
  return (
    <ListPage
      docs="linking#flags-and-review"
      title={t('nav.referrals')}
      lead={t('referrals.lead')}
      csv="referrals"
      filters={filters}
      notices={<ProblemNotices about={{ kind: 'referrals_to_review' }} />}
      summary={query.review === undefined && <ToReview filter={query} />}
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

/** The referrals that wait for a review, of those that match the filters. */
function ToReview({ filter }: { filter: ReferralFilter }) {
  const { t } = useTranslation();
  const pending = useList('GET /referrals', { ...filter, review: 'pending' });
  if (!pending.rows?.length && !pending.searchedTo) return null;
  return (
    <Section title={t('referrals.reviews.pending')} lead={t('referrals.toReviewLead')} flush>
      <PagedList
        caption={t('referrals.reviews.pending')}
        pages={pending}
        columns={referralColumns}
        linkOf={({ id }) => pathOf.referral(id)}
        empty={null}
      />
    </Section>
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

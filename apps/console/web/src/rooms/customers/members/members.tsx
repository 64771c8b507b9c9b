import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import type { MemberRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { search, useFilters } from '../../../ui/use-filters.tsx';

const columns: Columns<MemberRow> = ({ t, number }) => [
  idColumn(t('fields.member'), (member) => member.member_id, pathOf.member),
  idColumn(t('members.code'), (member) => member.code),
  idColumn(t('members.referrer'), (member) => member.referrer_member_id, pathOf.member),
  { header: t('members.referees'), width: 100, cell: ({ referees }) => number(referees), end: true },
  { header: t('members.since'), width: 120, cell: ({ created_at: at }) => <DateTime at={at} /> },
];

/** All members, with a search by id or referral code. */
export function Members() {
  const { t } = useTranslation();
  const filters = useFilters({ search: search(t('members.search'), { keepBlanks: true }) });
  const members = useList('GET /members', filters.query);
  return (
    <ListPage
      docs="linking"
      title={t('nav.members')}
      lead={t('members.lead')}
      csv="members"
      filters={filters}
      pages={members}
      columns={columns}
      linkOf={({ member_id: id }) => pathOf.member(id)}
      noMatches={t('members.notFoundText')}
      empty={{
        title: t('members.empty'),
        text: t('members.emptyText'),
        next: { to: '/credentials#linking', label: t('members.emptyAction') },
      }}
    />
  );
}

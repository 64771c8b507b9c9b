import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { CsvButton } from '../../../ui/csv-button.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FilterBar } from '../../../ui/filters.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { LinkButton } from '../../../ui/links.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedList } from '../../../ui/data-list.tsx';
import { SearchField } from '../../../ui/filters.tsx';
import { Section } from '../../../ui/section.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { useQueryState } from '../../../ui/use-query-state.ts';

/** All members, with a search by id or referral code. */
export function Members() {
  const { t } = useTranslation();
  const { number } = useFormat();
  const [get, set] = useQueryState();
  const search = get('search') ?? '';
  const members = useList('GET /members', { search });
  return (
    <Page
      docs="linking"
      title={t('nav.members')}
      lead={t('members.lead')}
      actions={<CsvButton list="members" filter={search ? { search } : {}} />}
    >
      <FilterBar>
        <SearchField
          label={t('members.search')}
          value={search}
          keepBlanks
          onSearch={(value) => set({ search: value })}
        />
      </FilterBar>
      <Section flush>
        <PagedList
          caption={t('nav.members')}
          pages={members}
          keyOf={({ member_id: id }) => id}
          linkOf={({ member_id: id }) => pathOf.member(id)}
          columns={[
            {
              header: t('fields.member'),
              cell: ({ member_id: id }) => (
                <Identifier value={id} name={t('fields.member')} to={pathOf.member(id)} />
              ),
            },
            {
              header: t('members.code'),
              cell: ({ code }) => <Identifier value={code} name={t('members.code')} />,
            },
            {
              header: t('members.referrer'),
              cell: ({ referrer_member_id: id }) =>
                id ? <Identifier value={id} name={t('members.referrer')} to={pathOf.member(id)} /> : '–',
            },
            { header: t('members.referees'), cell: ({ referees }) => number(referees), end: true },
            { header: t('members.since'), cell: ({ created_at: at }) => <DateTime at={at} /> },
          ]}
          empty={
            search ? (
              <EmptyState title={t('common.noResults')} text={t('members.notFoundText')} />
            ) : (
              <EmptyState
                title={t('members.empty')}
                text={t('members.emptyText')}
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

import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { RefusedRequestsRow, RequestErrorsView } from '../../../data/types.ts';
import { DataList } from '../../../ui/data-list.tsx';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/section.tsx';
import { shownRoute } from './request-columns.tsx';

/** The list of the requests that a count counts. */
const callsOf = ({ route, code }: RefusedRequestsRow) => `/requests?${new URLSearchParams({ code, route })}`;

const columns: Columns<RefusedRequestsRow> = ({ t, number }) => [
  {
    header: t('requests.code'),
    width: 170,
    cell: (row) => <TextLink to={callsOf(row)}>{row.code}</TextLink>,
  },
  { header: t('requests.route'), width: 220, cell: ({ route }) => shownRoute(route) },
  { header: t('requests.day'), width: 110, end: true, cell: ({ day }) => number(day) },
  { header: t('requests.week'), width: 110, end: true, cell: ({ week }) => number(week) },
];

/** How many requests were refused, by code and route. */
export function RequestErrors({ query }: { query: UseQueryResult<RequestErrorsView> }) {
  const { t } = useTranslation();
  return (
    <Loaded query={query}>
      {({ counts, week_since: since }) => (
        <Section
          title={t('requests.errors')}
          lead={
            <>
              {t('requests.errorsLead')} <DateTime at={since} />
            </>
          }
          flush
        >
          <DataList
            caption={t('requests.errors')}
            columns={columns}
            rows={counts}
            keyOf={({ route, code }) => `${route} ${code}`}
            linkOf={callsOf}
            empty={<EmptyState title={t('requests.noErrors')} />}
          />
        </Section>
      )}
    </Loaded>
  );
}

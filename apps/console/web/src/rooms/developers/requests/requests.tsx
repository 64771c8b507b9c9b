import { useTranslation } from 'react-i18next';
import { useList, useRead } from '../../../data/use-read.ts';
import type { RequestResult } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { choice, openChoice, search, useFilters } from '../../../ui/use-filters.tsx';
import { requestColumns, shownRoute } from './request-columns.tsx';
import { RequestErrors } from './request-errors.tsx';
import { isWarningKind, warningKinds } from './warning-kinds.ts';

const results = [
  'success',
  'refused',
  ...(['400', '403', '404', '408', '409', '410', '413', '429', '500', '503'] as const),
] as const satisfies RequestResult[];

/** Errors by route and code, and the requests of the last days. */
export function Requests() {
  const { t } = useTranslation();
  const errors = useRead('GET /requests/errors', {}, { refetchInterval: 10_000 });
  const { counts, routes, keys } = errors.data ?? { counts: [], routes: [], keys: [] };
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const filters = useFilters(
    {
      request_id: search(t('requests.search')),
      result: choice({
        label: t('requests.result'),
        all: t('requests.allResults'),
        values: results,
        textOf: (result) =>
          result === 'success' || result === 'refused' ? t(`requests.results.${result}`) : `HTTP ${result}`,
      }),
      code: openChoice({
        label: t('requests.code'),
        all: t('requests.allCodes'),
        values: [...new Set(counts.map(({ code }) => code))].toSorted(),
        textOf: (code) => code,
      }),
      route: openChoice({
        label: t('requests.route'),
        all: t('requests.allRoutes'),
        values: [...new Set([...routes, ...counts.map(({ route }) => route)])].toSorted(),
        textOf: shownRoute,
      }),
      key_id: openChoice({
        label: t('requests.key'),
        all: t('requests.allKeys'),
        values: [...names.keys()],
        textOf: (id) => names.get(id) ?? id,
      }),
      warning: choice({
        label: t('requests.warningsOf'),
        all: t('requests.warningsOrNot'),
        values: ['any', ...warningKinds],
        textOf: (kind) => (isWarningKind(kind) ? t(`requests.warnings.${kind}`) : t('requests.anyWarning')),
      }),
    },
    { days: true },
  );
  return (
    <ListPage
      docs="errors#error-codes"
      title={t('nav.requests')}
      lead={t('requests.lead')}
      notices={
        <>
          <ProblemNotices about={{ kind: 'requests_refused' }} />
          <RequestErrors query={errors} />
        </>
      }
      filters={filters}
      pages={useList('GET /requests', filters.query, 5_000)}
      columns={requestColumns}
      linkOf={({ id }) => pathOf.request(id)}
      empty={{
        title: t('requests.empty'),
        text: t('requests.emptyText'),
        next: { to: '/credentials', label: t('requests.emptyAction') },
      }}
      noMatches={t('requests.noMatches')}
    />
  );
}

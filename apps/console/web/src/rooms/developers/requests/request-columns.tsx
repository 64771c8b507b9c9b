import type { RequestRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { Badge } from '../../../ui/badge.tsx';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { isWarningKind } from './warning-kinds.ts';

/** A route without what all routes begin with: `POST /orders/sync`. */
export const shownRoute = (route: string) => route.replace(' /api/open/', ' /');

/** The status of an answer, and the code of a refused one. */
export function ResultBadge({ status, code }: Pick<RequestRow, 'status' | 'code'>) {
  return <Badge tone={code === null ? 'good' : 'bad'}>{[status, code ?? ''].join(' ').trim()}</Badge>;
}

/** The columns of the list of requests. */
export const requestColumns: Columns<RequestRow> = ({ t, number, milliseconds }) => [
  { header: t('requests.at'), width: 96, cell: ({ at }) => <DateTime at={at} relative /> },
  {
    header: t('requests.route'),
    width: 140,
    cell: ({ id, route }) => <TextLink to={pathOf.request(id)}>{shownRoute(route)}</TextLink>,
  },
  { header: t('requests.result'), width: 162, cell: (row) => <ResultBadge {...row} /> },
  {
    header: t('requests.details'),
    width: 104,
    cell: ({ error_count: count, warnings: [first, ...more] }) => {
      if (count > 0) return t('requests.fieldCount', { count });
      if (first === undefined) return '–';
      const name = isWarningKind(first) ? t(`requests.warnings.${first}`) : first;
      return more.length === 0 ? name : t('requests.andMore', { name, count: more.length });
    },
  },
  { header: t('requests.key'), width: 66, cell: ({ key_name: name, key_id: id }) => name ?? id },
  {
    header: t('requests.size'),
    width: 60,
    end: true,
    cell: ({ size }) => (size === null ? '–' : t('requests.bytes', { number: number(size) })),
  },
  { header: t('requests.duration'), width: 62, end: true, cell: ({ duration_ms: ms }) => milliseconds(ms) },
  {
    header: t('requests.requestId'),
    width: 84,
    cell: ({ request_id: id }) => <Identifier value={id} name={t('requests.requestId')} />,
  },
];

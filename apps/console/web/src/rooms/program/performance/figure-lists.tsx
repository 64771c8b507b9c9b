import { useTranslation } from 'react-i18next';
import type { ReferrerRow, VersionFiguresRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { DataList } from '../../../ui/data-list.tsx';
import type { Columns } from '../../../ui/data-list.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { Section } from '../../../ui/section.tsx';

const referrerColumns: Columns<ReferrerRow> = ({ t, number, won }) => [
  idColumn<ReferrerRow>(t('fields.member'), (row) => row.member_id, pathOf.member),
  { header: t('performance.firstOrders'), end: true, cell: (row) => number(row.first_orders) },
  { header: t('performance.orders'), end: true, cell: (row) => number(row.orders) },
  { header: t('performance.revenue'), end: true, cell: (row) => won(row.referred_revenue) },
];

const versionColumns: Columns<VersionFiguresRow> = ({ t, number, won, amount }) => [
  { header: t('performance.version'), cell: (row) => t('program.version', { version: row.version }) },
  { header: t('performance.firstOrders'), end: true, cell: (row) => number(row.first_orders) },
  { header: t('performance.orders'), end: true, cell: (row) => number(row.orders) },
  { header: t('performance.revenue'), end: true, cell: (row) => won(row.referred_revenue) },
  { header: t('performance.rewards'), end: true, cell: (row) => number(row.rewards) },
  {
    header: t('performance.costs'),
    end: true,
    wraps: true,
    cell: ({ cost }) => cost.map((row) => amount(row.amount, row.unit)).join(', ') || '–',
  },
];

/** The members whose referred members have placed the most first orders. */
export function Referrers({ rows }: { rows: ReferrerRow[] }) {
  const { t } = useTranslation();
  return (
    <Section title={t('performance.referrers')} lead={t('performance.referrersLead')} flush>
      <DataList
        caption={t('performance.referrers')}
        columns={referrerColumns}
        rows={rows}
        keyOf={(row) => row.member_id}
        linkOf={(row) => pathOf.member(row.member_id)}
        empty={<EmptyState title={t('performance.noReferrers')} text={t('performance.noReferrersText')} />}
      />
    </Section>
  );
}

/** The figures of each version of the program. */
export function VersionFigures({ rows }: { rows: VersionFiguresRow[] }) {
  const { t } = useTranslation();
  return (
    <Section title={t('performance.versions')} lead={t('performance.versionsLead')} flush>
      <DataList
        caption={t('performance.versions')}
        columns={versionColumns}
        rows={rows}
        keyOf={(row) => String(row.version)}
        empty={<EmptyState title={t('performance.noVersions')} />}
      />
    </Section>
  );
}

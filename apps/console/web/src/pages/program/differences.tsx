import { useTranslation } from 'react-i18next';
import type { DifferenceView } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { DataList } from '../../components/data-list.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Section } from '../../components/section.tsx';
import { useFormat } from '../../formatting/use-format.ts';

/** Who gains, or who loses, under a draft. */
export function Differences({
  title,
  rows,
  sign,
}: {
  title: string;
  rows: DifferenceView[];
  sign: '+' | '−';
}) {
  const { t } = useTranslation();
  const { amount } = useFormat();
  return (
    <Section title={title} flush>
      <DataList
        caption={title}
        rows={rows}
        keyOf={({ order_id: order, role, member_id: member }) => `${order} ${role} ${member}`}
        empty={<EmptyState title={t('program.nobody')} />}
        columns={[
          {
            header: t('fields.member'),
            cell: ({ member_id: id }) => (
              <Identifier value={id} name={t('fields.member')} to={pathOf.member(id)} />
            ),
          },
          { header: t('rewards.role'), cell: ({ role }) => t(`rewardRoles.${role}`) },
          {
            header: t('fields.order'),
            cell: ({ order_id: id }) => (
              <Identifier value={id} name={t('fields.order')} to={pathOf.order(id)} />
            ),
          },
          { header: t('rewards.amount'), cell: (row) => `${sign}${amount(row.amount, row.unit)}`, end: true },
        ]}
      />
    </Section>
  );
}

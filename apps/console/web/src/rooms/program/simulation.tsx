import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DifferenceView, SimulationView } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Figures } from '../../ui/figures.tsx';
import { ReasonBadge } from '../../ui/reason-badge.tsx';
import { Section } from '../../ui/section.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { pathOf } from '../../app/paths.ts';
import { DataList } from '../../ui/data-list.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { idColumn } from '../../ui/id-column.tsx';

type Total = SimulationView['draft'];

/** The rewards under the draft, compared with the current ones. `stale`: the draft has changed since. */
export function Simulation({ result, stale }: { result: SimulationView; stale: boolean }) {
  const { t } = useTranslation();
  const { number, amount } = useFormat();
  const amounts = (total: Total, sign = false) =>
    Object.entries(total.amounts)
      .map(([unit, value]) => `${sign && value > 0 ? '+' : ''}${amount(value, unit)}`)
      .join(', ') || '–';
  const { difference } = result;
  return (
    <Stack gap={20}>
      <Section
        title={t('program.simulation')}
        lead={t('program.simulationLead', { orders: number(result.orders) })}
        actions={stale && <Badge tone="warn">{t('program.stale')}</Badge>}
      >
        <Stack gap="md">
          <Figures
            figures={[
              {
                name: t('program.current'),
                value: number(result.current.rewards),
                note: amounts(result.current),
              },
              {
                name: t('program.draftTotal'),
                value: number(result.draft.rewards),
                note: amounts(result.draft),
              },
              {
                name: t('program.difference'),
                value: `${difference.rewards > 0 ? '+' : ''}${number(difference.rewards)}`,
                note: amounts(difference, true),
              },
            ]}
          />
          <ul
            style={{
              display: 'flex',
              flexWrap: 'wrap',
              gap: '6px 16px',
              listStyle: 'none',
              margin: 0,
              padding: 0,
            }}
            aria-label={t('program.reasons')}
          >
            {Object.entries(result.reasons).map(([reason, orders]) => (
              <li key={reason}>
                <ReasonBadge reason={reason} /> {number(orders)}
              </li>
            ))}
          </ul>
        </Stack>
      </Section>
      <Differences title={t('program.gains', { count: result.gains_total })} rows={result.gains} sign="+" />
      <Differences
        title={t('program.losses', { count: result.losses_total })}
        rows={result.losses}
        sign="−"
      />
    </Stack>
  );
}

/** The rewards that members gain or lose under the draft. */
function Differences({ title, rows, sign }: { title: string; rows: DifferenceView[]; sign: '+' | '−' }) {
  const { t } = useTranslation();
  const { amount } = useFormat();
  return (
    <Section title={title} flush>
      <DataList
        caption={title}
        rows={rows}
        keyOf={({ order_id: order, role, member_id: member }) => `${order} ${role} ${member}`}
        empty={<EmptyState title={t('program.noMembers')} />}
        columns={() => [
          idColumn<DifferenceView>(t('fields.member'), (row) => row.member_id, pathOf.member),
          { header: t('rewards.role'), cell: ({ role }) => t(`rewardRoles.${role}`) },
          idColumn<DifferenceView>(t('fields.order'), (row) => row.order_id, pathOf.order),
          { header: t('rewards.amount'), cell: (row) => `${sign}${amount(row.amount, row.unit)}`, end: true },
        ]}
      />
    </Section>
  );
}

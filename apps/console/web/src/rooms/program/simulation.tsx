import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DifferenceView, SimulationView } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { shownTime } from '../../ui/format-time.ts';
import { ReasonBadge } from '../../ui/reason-badge.tsx';
import { Section } from '../../ui/section.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { pathOf } from '../../app/paths.ts';
import { useSession } from '../../app/session-context.ts';
import { TextLink } from '../../ui/links.tsx';
import classes from './rule-editor.module.css';
import { SimulationTotal } from './simulation-total.tsx';

type Total = SimulationView['draft'];

/** The most members that are shown of those who gain or lose. */
const mostShown = 50;

/** The rewards under the draft, compared with the current ones. `stale`: the draft has changed since. */
export function Simulation({ result, stale }: { result: SimulationView; stale: boolean }) {
  const { t, i18n } = useTranslation();
  const { number, amount } = useFormat();
  const { timezone } = useSession().merchant;
  const shown = (total: Total) => (
    <>
      {number(total.rewards)}
      {Object.entries(total.amounts).map(([unit, value]) => (
        <div key={unit}>{amount(value, unit)}</div>
      ))}
    </>
  );
  return (
    <Section
      title={t('program.simulation')}
      lead={
        <>
          {result.since && (
            <>
              {t('program.ordersSince', {
                date: shownTime(result.since, { timezone, language: i18n.language, now: Date.now() }),
              })}{' '}
            </>
          )}
          {t('program.simulationLead', { orders: number(result.orders) })}
        </>
      }
      actions={stale && <Badge tone="warn">{t('program.stale')}</Badge>}
    >
      <Stack gap="md">
        <div className={classes['total']}>
          <SimulationTotal result={result} />
        </div>
        <Facts
          facts={[
            [t('program.current'), shown(result.current)],
            [t('program.draftTotal'), shown(result.draft)],
          ]}
        />
        <Differences title={t('program.gains')} rows={result.gains} total={result.gains_total} sign="+" />
        <Differences title={t('program.losses')} rows={result.losses} total={result.losses_total} sign="−" />
        <ul className={classes['reasons']} aria-label={t('program.reasons')}>
          {Object.entries(result.reasons).map(([reason, orders]) => (
            <li key={reason}>
              <ReasonBadge reason={reason} /> {number(orders)}
            </li>
          ))}
        </ul>
      </Stack>
    </Section>
  );
}

/** The rewards that members gain or lose under the draft, "50 of 1,340". */
function Differences({
  title,
  rows,
  total,
  sign,
}: {
  title: string;
  rows: DifferenceView[];
  total: number;
  sign: '+' | '−';
}) {
  const { t } = useTranslation();
  const { number, amount } = useFormat();
  const listed = rows.slice(0, mostShown);
  return (
    <details>
      <summary>
        {title}:{' '}
        {total > listed.length && listed.length > 0
          ? t('program.someOf', { shown: listed.length, total: number(total) })
          : number(total)}
      </summary>
      {listed.length === 0 ? (
        <Text c="var(--ink-soft)">{t('program.noMembers')}</Text>
      ) : (
        <ul className={classes['members']}>
          {listed.map((row) => (
            <li key={`${row.order_id} ${row.role} ${row.member_id}`}>
              <TextLink to={pathOf.member(row.member_id)}>{row.member_id}</TextLink>{' '}
              <span>
                {t(`rewardRoles.${row.role}`)} · {sign}
                {amount(row.amount, row.unit)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

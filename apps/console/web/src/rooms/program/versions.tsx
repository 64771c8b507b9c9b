import { useTranslation } from 'react-i18next';
import type { ProgramVersionView, VersionFiguresRow } from '../../data/types.ts';
import { useRead } from '../../data/use-read.ts';
import { Badge } from '../../ui/badge.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Section } from '../../ui/section.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { RuleChanges } from './rule-changes.tsx';
import classes from './versions.module.css';

/** The newest versions, newest first: who published it, when and why, what changed, and what it has brought and cost. */
export function Versions({ versions, more }: { versions: ProgramVersionView[]; more: boolean }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const figures = useRead('GET /program/figures');
  return (
    <Section title={t('program.versions')} lead={t('program.versionsLead')}>
      <ErrorNotice error={figures.error} />
      <ol className={classes['versions']} reversed>
        {versions.map((version, index) => (
          <li key={version.version}>
            <p className={classes['head']}>
              <strong>{t('program.version', { version: version.version })}</strong>
              {index === 0 && <Badge tone="good">{t('program.live')}</Badge>}
              <span>
                <DateTime at={version.published_at} />
                <Author by={version.published_by} />
              </span>
            </p>
            {version.note && <p className={classes['note']}>{version.note}</p>}
            <RuleChanges before={versions[index + 1]?.terms} terms={version.terms} />
            {figures.data && (
              <VersionFigures row={figures.data.find((row) => row.version === version.version)} />
            )}
          </li>
        ))}
      </ol>
      {more && <p>{t('program.olderVersions', { number: number(versions.length) })}</p>}
    </Section>
  );
}

function Author({ by }: { by: string | null }) {
  const { t } = useTranslation();
  if (by === null) return null;
  return <> · {by === 'operator' ? t('program.byOperator') : by}</>;
}

/** What a version has brought and cost in the last 366 days. */
function VersionFigures({ row }: { row: VersionFiguresRow | undefined }) {
  const { t } = useTranslation();
  const { number, won, amount } = useFormat();
  const cost = row?.cost.map((one) => amount(one.amount, one.unit)).join(', ');
  return (
    <p className={classes['figures']}>
      {row
        ? [
            t('program.firstOrdersOf', { number: number(row.first_orders) }),
            t('program.revenueOf', { amount: won(row.referred_revenue) }),
            t('program.rewardsOf', { number: number(row.rewards) }),
            t('program.costOf', { amount: cost || '–' }),
          ].join(' · ')
        : t('program.noFigures')}
    </p>
  );
}

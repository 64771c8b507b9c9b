import { NativeSelect, Skeleton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { PerformancePeriod, PerformanceView } from '../../../data/types.ts';
import { useRead } from '../../../data/use-read.ts';
import { CsvButton } from '../../../ui/csv-button.tsx';
import { DayRangeFilter } from '../../../ui/day-range-filter.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { useDays } from '../../../ui/use-day-range.ts';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { ComparedFigures } from './compared-figures.tsx';
import { Referrers, VersionFigures } from './figure-lists.tsx';
import classes from './performance.module.css';

/** The figures are readable before it has loaded. */
const Charts = lazy(() => import('./charts.tsx').then((module) => ({ default: module.Charts })));

const periods = [
  'today',
  'seven_days',
  'thirty_days',
  'this_month',
  'last_month',
  'this_year',
] as const satisfies PerformancePeriod[];

/** What referrals have brought and cost in a period, beside the period before. */
export function Performance() {
  const { t } = useTranslation();
  const { from, to } = useDays();
  const [get] = useQueryState();
  const period = periods.find((one) => one === get('period')) ?? 'thirty_days';
  const isRange = from !== undefined && to !== undefined;
  const filter = isRange ? { from, to } : { period };
  const performance = useRead('GET /performance', filter, {
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={t('nav.performance')}
      lead={t('performance.lead')}
      actions={<CsvButton list="performance" filter={filter} />}
    >
      <div className={classes['filters']} role="search" aria-label={t('common.filters')}>
        <PeriodSelect period={isRange ? undefined : period} />
        <DayRangeFilter anyTime={t('performance.range')} />
      </div>
      {/* The figures of a range that was refused are those of the one before. */}
      {performance.isError && performance.data && <ErrorNotice error={performance.error} />}
      <Loaded query={performance}>{(view) => <PeriodFigures view={view} />}</Loaded>
    </Page>
  );
}

/** Chooses a period in place of a range of days. */
function PeriodSelect({ period }: { period: PerformancePeriod | undefined }) {
  const { t } = useTranslation();
  const [, set] = useQueryState();
  return (
    <NativeSelect
      aria-label={t('performance.period')}
      value={period ?? ''}
      onChange={(event) => set({ period: event.currentTarget.value, from: null, to: null })}
      data={[
        ...(period ? [] : [{ value: '', label: t('performance.range') }]),
        ...periods.map((value) => ({ value, label: t(`performance.periods.${value}`) })),
      ]}
    />
  );
}

function PeriodFigures({ view }: { view: PerformanceView }) {
  const { t } = useTranslation();
  const { before } = view;
  return (
    <>
      <p className={classes['days']}>
        {t('performance.days', { from: view.from, to: view.to })}{' '}
        {t('performance.comparedWith', { from: before.from, to: before.to })}
      </p>
      <ComparedFigures figures={view.figures} before={before.figures} />
      {view.days.length > 1 && (
        <Suspense fallback={<Skeleton height={290} radius="lg" />}>
          <Charts days={view.days} />
        </Suspense>
      )}
      <Referrers rows={view.referrers} />
      <VersionFigures rows={view.versions} />
    </>
  );
}

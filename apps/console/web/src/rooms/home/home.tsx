import { SegmentedControl, Skeleton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../data/use-read.ts';
import type { HomeFigures, HomeRange } from '../../data/types.ts';
import { shownMode } from '../../app/mode.ts';
import { Figures } from '../../ui/figures.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Checklist } from './checklist.tsx';
import { HomeProblems } from './problems/home-problems.tsx';
import { Sample } from './sample.tsx';
import { TestData } from './test-data.tsx';
import plotClasses from './plots.module.css';

/** The library of the plots is large, so it loads after the figures. */
const Plots = lazy(() => import('./plots.tsx').then((module) => ({ default: module.Plots })));
const ranges = ['day', 'week', 'month'] as const satisfies HomeRange[];

/** The figures of the merchant. */
export function Home() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const range = ranges.find((one) => one === get('range')) ?? 'week';
  const home = useRead('GET /home', { range }, { refetchInterval: 5_000, placeholderData: keepPreviousData });
  const isTest = shownMode() === 'test';
  return (
    <Page
      docs="quickstart"
      title={t('home.title')}
      lead={t('home.lead')}
      actions={
        <SegmentedControl
          aria-label={t('home.range')}
          value={range}
          onChange={(value) => set({ range: value })}
          data={ranges.map((value) => ({ value, label: t(`home.ranges.${value}`) }))}
        />
      }
    >
      <HomeProblems />
      <Loaded query={home}>
        {(view) => (
          <>
            {isTest && <Sample />}
            <Checklist done={view.checklist} />
            <Totals totals={view.totals} />
            <Suspense fallback={<PlotsSkeleton />}>
              <Plots view={view} />
            </Suspense>
            {isTest && <TestData />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The totals of the time range. */
function Totals({ totals }: { totals: HomeFigures }) {
  const { t } = useTranslation();
  const { number, percent, milliseconds } = useFormat();
  const ms = (value: number | null) => (value === null ? '–' : milliseconds(value));
  return (
    <Figures
      figures={[
        { name: t('home.orders'), value: number(totals.orders) },
        { name: t('home.rewardsConfirmed'), value: number(totals.rewards_confirmed) },
        { name: t('home.rewardsRevoked'), value: number(totals.rewards_revoked) },
        { name: t('home.deliveries'), value: number(totals.deliveries) },
        {
          name: t('home.success'),
          value: totals.deliveries ? percent(totals.deliveries_succeeded / totals.deliveries) : '–',
        },
        { name: t('home.p50'), value: ms(totals.p50_ms) },
        { name: t('home.p95'), value: ms(totals.p95_ms) },
      ]}
    />
  );
}

/** Shown while the library of the plots loads. */
function PlotsSkeleton() {
  return (
    <div className={plotClasses['plots']} aria-hidden>
      {[0, 1, 2, 3].map((plot) => (
        <Skeleton key={plot} height={302} radius="lg" />
      ))}
    </div>
  );
}

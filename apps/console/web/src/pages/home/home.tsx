import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useHome } from '../../api/home.ts';
import type { HomeRange } from '../../api/types.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { useQueryState } from '../../hooks/use-query-state.ts';
import { Checklist } from './checklist.tsx';
import { HomeFiguresRow } from './home-figures-row.tsx';
import { PlotsSkeleton } from './plots-skeleton.tsx';

/** The plots bring a library of their own with them, so they come after the numbers. */
const Plots = lazy(() => import('./plots.tsx').then((module) => ({ default: module.Plots })));
const ranges = ['day', 'week', 'month'] as const satisfies HomeRange[];

/** How the merchant is doing. */
export function Home() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const range = ranges.find((one) => one === get('range')) ?? 'week';
  const home = useHome(range);
  return (
    <Page
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
      <Loaded query={home}>
        {(view) => (
          <>
            <Checklist done={view.checklist} />
            <HomeFiguresRow totals={view.totals} />
            <Suspense fallback={<PlotsSkeleton />}>
              <Plots view={view} />
            </Suspense>
          </>
        )}
      </Loaded>
    </Page>
  );
}

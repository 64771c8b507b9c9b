import { SegmentedControl } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../data/use-read.ts';
import type { HomeRange } from '../../data/types.ts';
import { shownMode } from '../../app/mode.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Checklist } from './checklist.tsx';
import { HomeFigures } from './home-figures.tsx';
import { NewestRewards } from './newest-rewards.tsx';
import { HomeProblems } from './problems/home-problems.tsx';
import { Sample } from './sample.tsx';
import { TestData } from './test-data.tsx';

const ranges = ['week', 'days30', 'month'] as const satisfies HomeRange[];

/** What is wrong, the figures of the shop, and its newest rewards. */
export function Home() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const range = ranges.find((one) => one === get('range')) ?? 'days30';
  const home = useRead(
    'GET /home',
    { range },
    { refetchInterval: 10_000, placeholderData: keepPreviousData },
  );
  const isTest = shownMode() === 'test';
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
      <HomeProblems />
      <Loaded query={home}>
        {(view) => (
          <>
            {isTest && <Sample />}
            {view.checklist && <Checklist done={view.checklist} />}
            <HomeFigures view={view} />
            <NewestRewards rewards={view.rewards} />
            {isTest && <TestData />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

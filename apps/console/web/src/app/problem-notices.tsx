import { lazy, Suspense } from 'react';
import { useOpenProblems } from '../data/problems.ts';
import type { ProblemFilter } from '../data/types.ts';
import { loadTexts } from './i18n.ts';

/** A chunk of its own, with the texts of Home, because pages seldom have a problem. */
const Notices = lazy(async () => {
  const [{ Notices: content }] = await Promise.all([
    import('../rooms/home/problems/notices.tsx'),
    loadTexts('home'),
  ]);
  return { default: content };
});

/** The open problems of what a page shows. Renders nothing while there are none. */
export function ProblemNotices({ about }: { about: Pick<ProblemFilter, 'kind' | 'subject'> }) {
  const { rows = [] } = useOpenProblems(about);
  return <Suspense>{rows.length > 0 && <Notices problems={rows} />}</Suspense>;
}

import { useTranslation } from 'react-i18next';
import { useOpenProblems } from '../data/problems.ts';
import type { ProblemFilter } from '../data/types.ts';
import { ProblemList } from './problem-list.tsx';
import classes from './problem-list.module.css';

/** The open problems of what a page shows. Renders nothing while there are none. */
export function ProblemNotices({ about }: { about: Pick<ProblemFilter, 'kind' | 'subject'> }) {
  const { t } = useTranslation();
  const { rows = [] } = useOpenProblems(about);
  if (rows.length === 0) return null;
  return (
    <div className={classes['notices']} role="status">
      <ProblemList problems={rows} label={t('problems.about')} />
    </div>
  );
}

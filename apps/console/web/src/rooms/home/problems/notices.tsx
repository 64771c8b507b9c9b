import { useTranslation } from 'react-i18next';
import type { ProblemView } from '../../../data/types.ts';
import { ProblemList } from './problem-list.tsx';
import classes from './problem-list.module.css';

/** Problems on the page of what they concern. */
export function Notices({ problems }: { problems: ProblemView[] }) {
  const { t } = useTranslation();
  return (
    <div className={classes['notices']} role="status">
      <ProblemList problems={problems} label={t('problems.about')} />
    </div>
  );
}

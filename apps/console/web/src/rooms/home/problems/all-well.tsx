import { IconCircleCheckFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ProblemView } from '../../../data/types.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import classes from './problem-list.module.css';

/** One line: nothing is wrong, and since the last problem was resolved. */
export function AllWell({ last }: { last: ProblemView | null | undefined }) {
  const { t } = useTranslation();
  const since = last?.resolved_at;
  return (
    <p className={classes['well']} role="status">
      <IconCircleCheckFilled size={17} className={classes['good']} aria-hidden />
      {since ? (
        <span>
          {t('problems.wellSince')} <DateTime at={since} />
        </span>
      ) : (
        t('problems.wellAlways')
      )}
    </p>
  );
}

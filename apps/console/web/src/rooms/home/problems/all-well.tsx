import { IconCircleCheckFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import classes from './problems.module.css';

/** One line: nothing is wrong, and since the last problem was resolved. */
export function AllWell() {
  const { t } = useTranslation();
  const { rows } = useList('GET /problems', { resolved: true });
  if (!rows) return null;
  const since = rows[0]?.resolved_at;
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

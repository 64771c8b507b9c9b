import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useOutdated } from '../data/query-client.ts';
import classes from './outdated-notice.module.css';

/** A notice while the server does not respond and the page shows older data. */
export function OutdatedNotice() {
  const { t } = useTranslation();
  const outdated = useOutdated();
  return (
    <div role="status" className={classes['notice']}>
      {outdated && (
        <p>
          <IconAlertTriangle size={18} aria-hidden /> {t('shell.outdated')}
        </p>
      )}
    </div>
  );
}

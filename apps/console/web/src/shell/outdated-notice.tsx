import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useOutdated } from '../api/use-outdated.ts';
import classes from './outdated-notice.module.css';

/** Says that the server does not answer while the page still shows what it said before; goes by itself. */
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

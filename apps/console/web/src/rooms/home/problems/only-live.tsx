import { useTranslation } from 'react-i18next';
import { basePathOf } from '../../../app/mode.ts';
import classes from './problems.module.css';

/** Says on the test side that only the live side is watched. The link reloads the page, as the switch of the sides does. */
export function OnlyLive() {
  const { t } = useTranslation();
  return (
    <span>
      {t('problems.onlyLive')}{' '}
      <a href={`${basePathOf('live')}/problems`} className={classes['liveLink']}>
        {t('problems.openLive')}
      </a>
    </span>
  );
}

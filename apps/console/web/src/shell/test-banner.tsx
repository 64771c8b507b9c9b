import { IconFlask } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { shownMode } from '../app/mode.ts';
import classes from './test-banner.module.css';

/** Says on every page of the test side that it shows test data. */
export function TestBanner() {
  const { t } = useTranslation();
  if (shownMode() === 'live') return null;
  return (
    <p className={classes['banner']}>
      <IconFlask size={16} aria-hidden />
      <span>
        <strong>{t('testSide.banner')}</strong> {t('testSide.bannerText')}
      </span>
    </p>
  );
}

import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './filter-bar.module.css';

/** The row of filters above a list. */
export function FilterBar({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className={classes['bar']} role="search" aria-label={t('common.filters')}>
      {children}
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import { DateTime } from './date-time.tsx';
import { useNow } from '../hooks/use-now.ts';

/** When something happens next; what is due is said to happen now. */
export function NextTime({ at, relative = false }: { at: string; relative?: boolean }) {
  const { t } = useTranslation();
  // The server's clock may be a little ahead.
  const isDue = Date.parse(at) <= useNow() + 1_000;
  return isDue ? <span>{t('common.now')}</span> : <DateTime at={at} relative={relative} />;
}

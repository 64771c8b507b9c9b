import { IconPlayerPause } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import classes from './test-banner.module.css';

/** Says on every page that the operator has paused the shop, and where to ask. */
export function PauseBanner() {
  const { t } = useTranslation();
  const { pause } = useSession().merchant;
  if (pause === null) return null;
  const { ingest_since: ingest, delivery_since: delivery, contact } = pause;
  const what = ingest && delivery ? 'both' : ingest ? 'ingest' : 'delivery';
  return (
    <p className={classes['banner']} role="status">
      <IconPlayerPause size={16} aria-hidden />
      <span>{t(`shell.paused.${what}`, { contact })}</span>
    </p>
  );
}

import { useTranslation } from 'react-i18next';
import type { AuditEntryView } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import type { Column } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import classes from './activity.module.css';
import { auditActionKey } from './audit-action-key.ts';
import { EntryDetails } from './entry-details.tsx';

/** The columns of the activity. */
export function useAuditColumns(): Column<AuditEntryView>[] {
  const { t } = useTranslation();
  return [
    { header: t('audit.at'), cell: ({ at }) => <DateTime at={at} /> },
    {
      header: t('audit.actor'),
      cell: ({ actor, actor_kind: kind, address }) => (
        <span className={classes['lines']}>
          {kind !== 'user' && <Badge tone="idle">{t(`audit.actors.${kind}`)}</Badge>}
          {actor !== null && <span>{actor}</span>}
          {address !== null && <small className={classes['minor']}>{t('audit.from', { address })}</small>}
        </span>
      ),
    },
    {
      header: t('audit.action'),
      cell: ({ action, mode, outcome }) => (
        <span>
          {t(`auditActions.${auditActionKey(action)}`)}{' '}
          {mode === 'test' && <Badge tone="warn">{t('testSide.modes.test')}</Badge>}{' '}
          {outcome === 'refused' && <Badge tone="bad">{t('audit.refused')}</Badge>}
        </span>
      ),
    },
    { header: t('audit.details'), cell: (entry) => <EntryDetails entry={entry} /> },
  ];
}

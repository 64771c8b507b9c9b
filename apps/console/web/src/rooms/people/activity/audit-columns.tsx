import type { AuditEntryView } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import classes from './activity.module.css';
import { auditActionKey } from './audit-action-key.ts';
import { EntryDetails } from './entry-details.tsx';

/** The columns of the activity. */
export const auditColumns: Columns<AuditEntryView> = ({ t }) => [
  { header: t('audit.at'), width: 192, cell: ({ at }) => <DateTime at={at} exact /> },
  {
    header: t('audit.actor'),
    width: 200,
    wraps: true,
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
    width: 170,
    wraps: true,
    cell: ({ action, mode, outcome }) => (
      <span>
        {t(`auditActions.${auditActionKey(action)}`)}{' '}
        {mode === 'test' && <Badge tone="warn">{t('testSide.modes.test')}</Badge>}{' '}
        {outcome === 'refused' && <Badge tone="bad">{t('audit.refused')}</Badge>}
      </span>
    ),
  },
  { header: t('audit.details'), width: 250, wraps: true, cell: (entry) => <EntryDetails entry={entry} /> },
];

import { useTranslation } from 'react-i18next';
import { auditActionKey } from '../../api/audit.ts';
import type { AuditEntryView } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/data-list.tsx';
import { DateTime } from '../../components/date-time.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { EntryDetails } from './entry-details.tsx';

/** The page of a subject, by its kind. */
const paths: Record<string, ((id: string) => string) | undefined> = {
  webhook: pathOf.webhook,
  delivery: pathOf.delivery,
  referral: pathOf.referral,
  member: pathOf.member,
};

/** The columns of the activity. */
export function useAuditColumns(): Column<AuditEntryView>[] {
  const { t } = useTranslation();
  return [
    { header: t('audit.at'), cell: ({ at }) => <DateTime at={at} /> },
    {
      header: t('audit.actor'),
      cell: ({ actor, actor_kind: kind }) =>
        kind === 'user' ? <span>{actor}</span> : <Badge tone="idle">{t(`audit.actors.${kind}`)}</Badge>,
      width: 'narrow',
    },
    {
      header: t('audit.action'),
      cell: ({ action, outcome }) => (
        <span>
          {t(`auditActions.${auditActionKey(action)}`)}{' '}
          {outcome === 'refused' && <Badge tone="bad">{t('audit.refused')}</Badge>}
        </span>
      ),
    },
    { header: t('audit.subject'), cell: (entry) => <Subject entry={entry} />, width: 'narrow' },
    { header: t('audit.details'), cell: ({ details }) => <EntryDetails details={details} />, width: 'wide' },
    { header: t('audit.address'), cell: ({ address }) => address ?? '–' },
  ];
}

function Subject({ entry }: { entry: AuditEntryView }) {
  const { t } = useTranslation();
  const { action, actor, subject_id: id, subject_email: email } = entry;
  // A user who acts on their own account is named already.
  if (email !== null) return email === actor ? '–' : <span>{email}</span>;
  if (id === null) return '–';
  const pathTo = paths[action.split('.')[0] ?? '']?.(id);
  return <Identifier value={id} name={t('audit.subject')} {...(pathTo ? { to: pathTo } : {})} />;
}

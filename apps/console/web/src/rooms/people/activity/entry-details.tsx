import { teamRoles } from '@rewardhook/contract/rights';
import { useTranslation } from 'react-i18next';
import type { AuditEntryView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { Identifier } from '../../../ui/identifier.tsx';
import type { Texts } from '../../../app/text-keys.ts';
import classes from './activity.module.css';

type FieldName = keyof Texts['auditFields'];

/** What an entry is about, and its details: changed fields with both values, and parameters that have a name. */
export function EntryDetails({ entry }: { entry: AuditEntryView }) {
  const subject = <Subject entry={entry} />;
  const lines = useLines(entry.details);
  const { action, actor, subject_id: id, subject_email: email } = entry;
  // The shop itself, and a user who acts on their own account, are known.
  const isKnown = id === null || action.startsWith('merchant.') || (email !== null && email === actor);
  if (isKnown && lines.length === 0) return '–';
  return (
    <span className={`${classes['lines']} ${classes['details']}`}>
      {!isKnown && subject}
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </span>
  );
}

/** The page of a subject, by its kind. */
const paths = new Map<string, ((id: string) => string) | undefined>(
  Object.entries({
    webhook: pathOf.webhook,
    delivery: pathOf.delivery,
    referral: pathOf.referral,
    member: pathOf.member,
  }),
);

function Subject({ entry }: { entry: AuditEntryView }) {
  const { action, subject_id: id, subject_email: email, subject_merge: merge } = entry;
  const { t } = useTranslation();
  if (email !== null) return <span>{email}</span>;
  if (id === null) return null;
  if (merge !== null) {
    const { from_member_id: from, into_member_id: into } = merge;
    return (
      <Identifier
        value={into}
        name={t('audit.subject')}
        to={pathOf.member(into)}
        label={`${from} → ${into}`}
      />
    );
  }
  if (action === 'member.merged') return <span>{t('audit.mergedErased')}</span>;
  const pathTo = paths.get(action.split('.')[0] ?? '')?.(id);
  return <Identifier value={id} name={t('audit.subject')} {...(pathTo ? { to: pathTo } : {})} />;
}

function useLines({ changes, changed, ...others }: Record<string, unknown>): string[] {
  const { t, i18n } = useTranslation();
  const isNamed = (field: string): field is FieldName => i18n.exists(`auditFields.${field}`);
  const show = (value: unknown): string => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0))
      return t('editConflict.empty');
    if (Array.isArray(value)) return value.map(show).join(', ');
    if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
    const role = teamRoles.find((one) => one === value);
    if (role) return t(`roles.${role}`);
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const name = (field: string) => t(`auditFields.${field as FieldName}`);
  const edits = Object.entries((changes ?? {}) as Record<string, [unknown, unknown]>)
    .filter(([field]) => isNamed(field))
    .map(([field, [before, after]]) => `${name(field)}: ${show(before)} → ${show(after)}`);
  const fields = ((changed ?? []) as string[]).filter(isNamed).map(name);
  const parameters = Object.entries(others)
    .filter(([field, value]) => isNamed(field) && value !== 0)
    .map(([field, value]) => `${name(field)}: ${show(value)}`);
  return [...edits, ...fields, ...parameters];
}

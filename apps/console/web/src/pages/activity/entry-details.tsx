import { useTranslation } from 'react-i18next';
import type { Texts } from '../../i18n/texts.ts';

type FieldName = keyof Texts['auditFields'];

/** The details of an entry that a person can read: changed fields with both values, and parameters that have a name. */
export function EntryDetails({ details }: { details: Record<string, unknown> }) {
  const lines = useLines(details);
  if (lines.length === 0) return '–';
  return (
    <span style={{ whiteSpace: 'normal' }}>
      {lines.map((line) => (
        <span key={line} style={{ display: 'block', overflowWrap: 'anywhere' }}>
          {line}
        </span>
      ))}
    </span>
  );
}

function useLines({ changes, changed, ...others }: Record<string, unknown>): string[] {
  const { t, i18n } = useTranslation();
  const isNamed = (field: string): field is FieldName => i18n.exists(`auditFields.${field}`);
  const show = (value: unknown): string => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0))
      return t('editConflict.empty');
    if (Array.isArray(value)) return value.map(show).join(', ');
    if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
    const isRole = value === 'owner' || value === 'developer' || value === 'viewer';
    return isRole ? t(`roles.${value}`) : String(value);
  };
  const edits = Object.entries((changes ?? {}) as Record<string, [unknown, unknown]>)
    .filter(([field]) => isNamed(field))
    .map(
      ([field, [before, after]]) =>
        `${t(`auditFields.${field as FieldName}`)}: ${show(before)} → ${show(after)}`,
    );
  const fields = ((changed ?? []) as string[]).filter(isNamed).map((field) => t(`auditFields.${field}`));
  const parameters = Object.entries(others)
    .filter(([field, value]) => isNamed(field) && value !== 0)
    .map(([field, value]) => `${t(`auditFields.${field as FieldName}`)}: ${show(value)}`);
  return [...edits, ...fields, ...parameters];
}

import { Alert, Button } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './edit-conflict-notice.module.css';

interface EditConflictNoticeProps {
  title: string;
  /** Label of each field, with the displayed values before and now. */
  fields: { name: string; before: string; now: string }[];
  discard: () => void;
}

/** Shows the fields that someone else changed while a form was being edited. */
export function EditConflictNotice({ title, fields, discard }: EditConflictNoticeProps) {
  const { t } = useTranslation();
  const changes = fields.filter(({ before, now }) => before !== now);
  return (
    <Alert
      role="alert"
      variant="default"
      title={title}
      icon={<IconUsers aria-hidden color="var(--tone-warn)" />}
      styles={{ root: { borderColor: 'var(--tone-warn)', background: 'var(--tone-warn-soft)' } }}
    >
      <ul className={classes['changes']}>
        {changes.map(({ name, before, now }) => (
          <li key={name}>
            {name}: <del>{before || t('editConflict.empty')}</del> →{' '}
            <ins>{now || t('editConflict.empty')}</ins>
          </li>
        ))}
        {changes.length === 0 && <li>{t('editConflict.noDifference')}</li>}
      </ul>
      <div>{t('editConflict.text')}</div>
      <Button size="xs" variant="default" mt="xs" onClick={discard}>
        {t('editConflict.discard')}
      </Button>
    </Alert>
  );
}

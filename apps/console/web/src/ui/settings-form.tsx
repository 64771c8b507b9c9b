import type { UseFormInput, UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Change } from '../data/use-send.ts';
import { EditConflictNotice } from './edit-conflict-notice.tsx';
import { Form } from './form.tsx';
import { notify } from './notifications.ts';
import { useSubmit } from './use-change-form.ts';
import { useSavedForm } from './use-saved-form.ts';

interface SettingsFormProps<Stored, Values extends object, Request extends object> {
  stored: Stored;
  /** The stored settings as values of the form. */
  toValues: (stored: Stored) => Values;
  /** The values of the form as the API takes them. */
  toRequest: (values: Values) => Request;
  change: Change<NoInfer<Request> & { base: NoInfer<Request> }, Stored>;
  validate: NonNullable<UseFormInput<Values>['validate']>;
  /** Label of each field, for the notice of an edit conflict. */
  labels: Record<keyof Values & string, string>;
  editable: boolean;
  maxWidth: number;
  /** The fields. */
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

/** A form for stored settings, with a notice when someone else changed them meanwhile. Read-only unless `editable`. */
export function SettingsForm<Stored, Values extends object, Request extends object>({
  stored,
  toValues,
  toRequest,
  change,
  validate,
  labels,
  editable,
  maxWidth,
  children,
}: SettingsFormProps<Stored, Values, Request>) {
  const { t } = useTranslation();
  const { form, base, conflict, accept, discard } = useSavedForm(toValues(stored), {
    saving: change.isPending,
    validate,
  });
  const { submit } = useSubmit(form, {
    send: (values) => change.mutateAsync({ ...toRequest(values), base: toRequest(base) }),
    done: (saved) => {
      accept(toValues(saved));
      notify(t('common.saved'));
    },
  });
  const show = (value: unknown): string => {
    if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
    return Array.isArray(value) ? value.join(', ') : String(value);
  };
  return (
    <fieldset disabled={!editable} style={{ border: 0, margin: 0, padding: 0 }}>
      <Form submit={submit} actionLabel={editable ? t('common.save') : undefined} maxWidth={maxWidth}>
        {conflict && (
          <EditConflictNotice
            title={t('editConflict.title')}
            fields={(Object.entries(labels) as [keyof Values & string, string][]).map(([field, name]) => ({
              name,
              before: show(conflict.before[field]),
              now: show(conflict.now[field]),
            }))}
            discard={discard}
          />
        )}
        {children(form)}
      </Form>
    </fieldset>
  );
}

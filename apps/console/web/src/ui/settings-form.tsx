import { Button, Stack } from '@mantine/core';
import type { UseFormInput } from '@mantine/form';
import type { FormEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Change } from '../data/use-send.ts';
import { formErrors } from '../data/form-errors.ts';
import { notify } from './notifications.ts';
import { useSavedForm } from './use-saved-form.ts';
import { EditConflictNotice } from './edit-conflict-notice.tsx';
import { ErrorNotice } from './error-notice.tsx';

interface SettingsFormOptions<Stored, Values extends object, Request extends object> {
  stored: Stored;
  /** The stored settings as values of the form. */
  toValues: (stored: Stored) => Values;
  /** The values of the form as the API takes them. */
  toRequest: (values: Values) => Request;
  change: Change<NoInfer<Request> & { base: NoInfer<Request> }, Stored>;
  validate: UseFormInput<Values>['validate'];
}

/** State of a form for stored settings. `props` are for `SettingsForm`. */
export function useSettingsForm<Stored, Values extends object, Request extends object>({
  stored,
  toValues,
  toRequest,
  change,
  validate,
}: SettingsFormOptions<Stored, Values, Request>) {
  const { t } = useTranslation();
  const { form, base, conflict, accept, discard } = useSavedForm(toValues(stored), {
    saving: change.isPending,
    ...(validate && { validate }),
  });
  const onSubmit = form.onSubmit((values) =>
    change.mutate(
      { ...toRequest(values), base: toRequest(base) },
      {
        onSuccess: (saved) => {
          accept(toValues(saved));
          notify(t('common.saved'));
        },
        onError: (error) => form.setErrors(withoutIndexes(formErrors(error))),
      },
    ),
  );
  return { form, props: { onSubmit, error: change.error, saving: change.isPending, conflict, discard } };
}

/** Shows the error of an element, such as `allowed_origins[0]`, at its field. */
const withoutIndexes = (errors: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(errors).map(([path, text]) => [path.split(/[[.]/)[0] ?? path, text]));

interface SettingsFormProps<Values> {
  onSubmit: FormEventHandler<HTMLFormElement>;
  error: Error | null;
  saving: boolean;
  conflict: { before: Values; now: Values } | null;
  discard: () => void;
  /** Label of each field, for the notice of an edit conflict. */
  labels: Record<keyof Values & string, string>;
  editable: boolean;
  maxWidth: number;
  children: ReactNode;
}

/** A form for stored settings, with a notice when someone else changed them meanwhile. Read-only unless `editable`. */
export function SettingsForm<Values extends object>({
  onSubmit,
  error,
  saving,
  conflict,
  discard,
  labels,
  editable,
  maxWidth,
  children,
}: SettingsFormProps<Values>) {
  const { t } = useTranslation();
  const show = (value: unknown): string => {
    if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
    return Array.isArray(value) ? value.join(', ') : String(value);
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <fieldset disabled={!editable} style={{ border: 0, margin: 0, padding: 0, maxWidth }}>
        <Stack gap="md">
          <ErrorNotice error={error} />
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
          {children}
          {editable && (
            <Button type="submit" loading={saving} w="fit-content">
              {t('common.save')}
            </Button>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

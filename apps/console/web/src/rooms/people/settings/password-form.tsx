import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { isWrongPassword } from '../../../data/api-error.ts';
import { useSend } from '../../../data/use-send.ts';
import { useSession } from '../../../app/session-context.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { notify } from '../../../ui/notifications.ts';
import { PasswordField } from '../../../ui/password-field.tsx';
import { Section } from '../../../ui/section.tsx';
import { useUnsaved } from '../../../ui/unsaved-changes.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

/** Changes the password of the signed-in user. Ends all other sessions. */
export function PasswordForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { user } = useSession();
  const change = useSend('POST /password');
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: { current_password: rules.required, new_password: rules.newPassword },
  });
  useUnsaved(form.isDirty());
  const save = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        notify(t('settings.passwordChanged'));
      },
      onError: (error) =>
        form.setErrors(
          isWrongPassword(error) ? { current_password: t('errors.wrongPassword') } : formErrors(error),
        ),
    }),
  );
  return (
    <Section title={t('settings.password')} lead={t('settings.passwordLead')}>
      <form onSubmit={save} noValidate>
        <Stack gap="md" maw={480}>
          <ErrorNotice error={isWrongPassword(change.error) ? null : change.error} />
          <input type="hidden" autoComplete="username" value={user.email} readOnly />
          <PasswordField label={t('settings.currentPassword')} {...form.getInputProps('current_password')} />
          <PasswordField isNew label={t('settings.newPassword')} {...form.getInputProps('new_password')} />
          <Button type="submit" loading={change.isPending} w="fit-content">
            {t('settings.changePassword')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

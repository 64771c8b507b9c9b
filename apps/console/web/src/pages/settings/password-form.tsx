import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useChangePassword } from '../../api/session.ts';
import { useSession } from '../../app/session-context.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { formErrors } from '../../parts/form-errors.ts';
import { notify } from '../../parts/notify.ts';
import { Section } from '../../parts/section.tsx';
import { useFormRules } from '../../parts/use-form-rules.ts';

/** Changes one's own password; all other sessions end. */
export function PasswordForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { user } = useSession();
  const change = useChangePassword();
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: { current_password: rules.required, new_password: rules.newPassword },
  });
  const save = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        notify(t('settings.passwordChanged'));
      },
      onError: (error) => form.setErrors(formErrors(error)),
    }),
  );
  const toggle = { 'aria-label': t('fields.showPassword') };
  return (
    <Section title={t('settings.password')} lead={t('settings.passwordLead')}>
      <form onSubmit={save} noValidate>
        <Stack gap="md" maw={480}>
          <ErrorNotice error={change.error} />
          <input type="hidden" autoComplete="username" value={user.email} readOnly />
          <PasswordInput
            label={t('settings.currentPassword')}
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            label={t('settings.newPassword')}
            description={t('rules.password')}
            autoComplete="new-password"
            required
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('new_password')}
          />
          <Button type="submit" loading={change.isPending} w="fit-content">
            {t('settings.changePassword')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

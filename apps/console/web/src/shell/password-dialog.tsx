import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { isWrongPassword } from '../data/api-error.ts';
import { endPasswordRequest } from '../data/password-request.ts';
import { useSend } from '../data/use-send.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import { useChangeForm } from '../ui/use-change-form.ts';
import { useFormRules } from '../ui/use-form-rules.ts';

/** Asks for the password before a secret is shown. */
export function PasswordDialog() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { user } = useSession();
  const enter = useSend('POST /session/password');
  const { form, submit } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: rules.required },
    send: (values) => enter.mutateAsync(values),
    done: () => endPasswordRequest(true),
    errorsAtFields: (error) => (isWrongPassword(error) ? { password: t('errors.wrongPassword') } : undefined),
  });
  return (
    <FormDialog
      title={t('passwordDialog.title')}
      actionLabel={t('passwordDialog.action')}
      submit={submit}
      onClose={() => endPasswordRequest(false)}
    >
      <Text>{t('passwordDialog.text')}</Text>
      <input type="hidden" autoComplete="username" value={user.email} readOnly />
      <PasswordField data-autofocus {...form.getInputProps('password')} />
    </FormDialog>
  );
}

import { useTranslation } from 'react-i18next';
import { isWrongPassword } from '../../../data/api-error.ts';
import { useSend } from '../../../data/use-send.ts';
import { useSession } from '../../../app/session-context.ts';
import { Form } from '../../../ui/form.tsx';
import { notify } from '../../../ui/notifications.ts';
import { PasswordField } from '../../../ui/password-field.tsx';
import { Section } from '../../../ui/section.tsx';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

/** Changes the password of the signed-in user. Ends all other sessions. */
export function PasswordForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { user } = useSession();
  const change = useSend('POST /password');
  const { form, submit } = useChangeForm({
    initialValues: { current_password: '', new_password: '' },
    validate: { current_password: rules.required, new_password: rules.newPassword },
    send: (values) => change.mutateAsync(values),
    done: (_response, sent) => {
      sent.reset();
      notify(t('settings.passwordChanged'));
    },
    errorsAtFields: (error) =>
      isWrongPassword(error) ? { current_password: t('errors.wrongPassword') } : undefined,
  });
  return (
    <Section title={t('settings.password')} lead={t('settings.passwordLead')}>
      <Form submit={submit} actionLabel={t('settings.changePassword')} username={user.email} maxWidth={480}>
        <PasswordField label={t('settings.currentPassword')} {...form.getInputProps('current_password')} />
        <PasswordField isNew label={t('settings.newPassword')} {...form.getInputProps('new_password')} />
      </Form>
    </Section>
  );
}

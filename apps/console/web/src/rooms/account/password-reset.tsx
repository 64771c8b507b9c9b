import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useSendSession } from '../../data/session.ts';
import { useRead } from '../../data/use-read.ts';
import { usePathId } from '../../app/paths.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notifications.ts';
import { PasswordField } from '../../ui/password-field.tsx';
import { useChangeForm } from '../../ui/use-change-form.ts';
import { useFormRules } from '../../ui/use-form-rules.ts';
import { AuthLinkLayout } from './auth-link-layout.tsx';

/** Sets a new password, through a link from an email or from the operator. */
export function PasswordReset() {
  const { t } = useTranslation();
  const token = usePathId();
  const reset = useRead('GET /password-resets/:token', { token });
  return (
    <AuthLinkLayout
      title={t('passwordReset.title')}
      query={reset}
      expired={{ title: t('passwordReset.expired'), text: t('passwordReset.expiredText') }}
    >
      {({ email }) => <NewPassword token={token} email={email} />}
    </AuthLinkLayout>
  );
}

function NewPassword({ token, email }: { token: string; email: string }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const reset = useSendSession('POST /password-resets/:token', { token });
  const [, navigate] = useLocation();
  const { form, submit } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: rules.newPassword },
    send: (values) => reset.mutateAsync(values),
    done: () => {
      notify(t('passwordReset.done'));
      navigate('/sign-in', { replace: true });
    },
  });
  return (
    <Form submit={submit} actionLabel={t('passwordReset.action')} username={email}>
      <p style={{ margin: 0 }}>{t('passwordReset.text', { email })}</p>
      <PasswordField isNew label={t('settings.newPassword')} {...form.getInputProps('password')} />
    </Form>
  );
}

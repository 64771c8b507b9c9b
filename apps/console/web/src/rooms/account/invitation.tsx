import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { isWrongPassword } from '../../data/api-error.ts';
import { useSendSession, useSessionQuery } from '../../data/session.ts';
import { useRead } from '../../data/use-read.ts';
import { startPageOf } from '../../app/start-page.ts';
import { usePathId } from '../../app/paths.ts';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { useChangeForm } from '../../ui/use-change-form.ts';
import { useFormRules } from '../../ui/use-form-rules.ts';
import { AuthLinkLayout } from './auth-link-layout.tsx';

/** Accepts an invitation to a team. */
export function Invitation() {
  const { t } = useTranslation();
  const token = usePathId();
  const invitation = useRead('GET /invitations/:token', { token });
  const title = invitation.data
    ? t('invitation.title', { merchant: invitation.data.merchant.name })
    : t('invitation.plainTitle');
  return (
    <AuthLinkLayout
      title={title}
      query={invitation}
      expired={{ title: t('invitation.expired'), text: t('invitation.expiredText') }}
    >
      {({ email, role }) => <Acceptance token={token} email={email} role={t(`roles.${role}`)} />}
    </AuthLinkLayout>
  );
}

function Acceptance({ token, email, role }: { token: string; email: string; role: string }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const accept = useSendSession('POST /invitations/:token/accept', { token });
  const session = useSessionQuery();
  const [, navigate] = useLocation();
  const isSignedIn = session.data?.user.email === email;
  const { form, submit } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: (value) => (isSignedIn ? null : rules.required(value)) },
    send: ({ password }) => accept.mutateAsync(isSignedIn ? {} : { password }),
    done: (accepted) => navigate(startPageOf(accepted.role), { replace: true }),
    errorsAtFields: (error) => (isWrongPassword(error) ? { password: t('errors.wrongPassword') } : undefined),
  });
  return (
    <Form submit={submit} actionLabel={t('invitation.action')} username={email}>
      <p style={{ margin: 0 }}>{t('invitation.text', { email, role })}</p>
      {!isSignedIn && (
        <PasswordField
          autoComplete="new-password"
          description={t('invitation.passwordHint')}
          {...form.getInputProps('password')}
        />
      )}
    </Form>
  );
}

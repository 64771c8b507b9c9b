import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { isWrongPassword } from '../../data/api-error.ts';
import { useSendSession, useSessionQuery } from '../../data/session.ts';
import { useRead } from '../../data/use-read.ts';
import { usePathId } from '../../app/paths.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formErrors } from '../../data/form-errors.ts';
import { PasswordField } from '../../ui/password-field.tsx';
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
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: (value) => (isSignedIn ? null : rules.required(value)) },
  });
  const submit = form.onSubmit(({ password }) =>
    accept.mutate(isSignedIn ? {} : { password }, {
      onSuccess: () => navigate('/', { replace: true }),
      onError: (error) =>
        form.setErrors(isWrongPassword(error) ? { password: t('errors.wrongPassword') } : formErrors(error)),
    }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{t('invitation.text', { email, role })}</p>
        <ErrorNotice error={isWrongPassword(accept.error) ? null : accept.error} />
        <input type="hidden" autoComplete="username" value={email} readOnly />
        {!isSignedIn && (
          <PasswordField
            autoComplete="new-password"
            description={t('invitation.passwordHint')}
            {...form.getInputProps('password')}
          />
        )}
        <Button type="submit" loading={accept.isPending}>
          {t('invitation.action')}
        </Button>
      </Stack>
    </form>
  );
}

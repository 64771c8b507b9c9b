import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useCompleteSignUp, useOpenSignUp } from '../../api/session.ts';
import { usePathId } from '../../app/paths.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formErrors } from '../../errors/form-errors.ts';
import { PasswordField } from '../../components/password-field.tsx';
import { useFormRules } from '../../hooks/use-form-rules.ts';
import { AuthLinkLayout } from '../../auth/auth-link-layout.tsx';
import { keepFirstKeys } from './first-keys-store.ts';
import { MerchantFields, ownTimeZone } from './merchant-fields.tsx';

/** Creates the account and its merchant, by the link that was mailed. */
export function NewAccount() {
  const { t } = useTranslation();
  const token = usePathId();
  const signUp = useOpenSignUp(token);
  return (
    <AuthLinkLayout
      title={t('newAccount.title')}
      query={signUp}
      expired={{ title: t('newAccount.expired'), text: t('newAccount.expiredText') }}
    >
      {({ email }) => <NewAccountForm token={token} email={email} />}
    </AuthLinkLayout>
  );
}

function NewAccountForm({ token, email }: { token: string; email: string }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const complete = useCompleteSignUp(token);
  const [, navigate] = useLocation();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { merchant_name: '', password: '', timezone: ownTimeZone() },
    validate: { merchant_name: rules.required, password: rules.newPassword },
  });
  const create = form.onSubmit((values) =>
    complete.mutate(
      { ...values, merchant_name: values.merchant_name.trim() },
      {
        onSuccess: (answer) => {
          keepFirstKeys(answer);
          navigate('/first-keys', { replace: true });
        },
        onError: (error) => form.setErrors(formErrors(error)),
      },
    ),
  );
  return (
    <form onSubmit={create} noValidate>
      <Stack gap="md">
        <p style={{ margin: 0, overflowWrap: 'anywhere' }}>{t('newAccount.text', { email })}</p>
        <ErrorNotice error={complete.error} />
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <MerchantFields form={form} />
        <PasswordField isNew {...form.getInputProps('password')} />
        <Button type="submit" loading={complete.isPending} mt={4}>
          {t('newAccount.action')}
        </Button>
      </Stack>
    </form>
  );
}

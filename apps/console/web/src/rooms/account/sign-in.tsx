import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'wouter';
import { startPageOf } from '../../app/start-page.ts';
import { ApiError } from '../../data/api-error.ts';
import { useSendSession } from '../../data/session.ts';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { TextLink } from '../../ui/links.tsx';
import { useChangeForm } from '../../ui/use-change-form.ts';
import { useFormRules } from '../../ui/use-form-rules.ts';
import { AuthLayout, SignedOutOnly } from './auth-layout.tsx';

/** Signs a user in and opens the page in `?next=`, or else the start page of their role. A user who is already signed in is redirected to it. */
export function SignIn() {
  const [search] = useSearchParams();
  const next = safePath(search.get('next'));
  return (
    <SignedOutOnly next={next}>
      <SignInForm next={next} />
    </SignedOutOnly>
  );
}

function SignInForm({ next }: { next: string | undefined }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const [, navigate] = useLocation();
  const signIn = useSendSession('POST /sign-in');
  const { form, submit } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: { email: rules.email, password: rules.required },
    send: (values) => signIn.mutateAsync(values),
    done: ({ role }) => navigate(next ?? startPageOf(role), { replace: true }),
    errorsAtFields: (error) => (hasNoMerchant(error) ? { email: t('signIn.noMerchant') } : undefined),
  });
  return (
    <AuthLayout
      title={t('signIn.title')}
      lead={t('signIn.lead')}
      foot={
        <>
          {t('signIn.noAccount')} <TextLink to="/sign-up">{t('signIn.signUp')}</TextLink>
          <br />
          <TextLink to="/forgot-password">{t('signIn.forgotten')}</TextLink>
        </>
      }
    >
      <Form submit={submit} actionLabel={t('signIn.action')}>
        <TextInput
          label={t('fields.email')}
          type="email"
          autoComplete="username"
          required
          {...form.getInputProps('email')}
        />
        <PasswordField {...form.getInputProps('password')} />
      </Form>
    </AuthLayout>
  );
}

/** The password was correct, but the user belongs to no team. */
const hasNoMerchant = (error: unknown): boolean => error instanceof ApiError && error.code === 'forbidden';

/** Accepts only a path of this console, so that a link cannot lead to another site after the sign-in. */
function safePath(next: string | null): string | undefined {
  return next && /^\/(?![/\\])/.test(next) ? next : undefined;
}

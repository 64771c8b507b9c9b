import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { isWrongPassword } from '../../api/api-error.ts';
import { useSignUp } from '../../api/session.ts';
import type { SignUpAnswer } from '../../api/types.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { formErrors } from '../../parts/form-errors.ts';
import { PasswordField } from '../../parts/password-field.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { TimeZoneInput } from '../../parts/time-zone-input.tsx';
import { useFormRules } from '../../parts/use-form-rules.ts';
import { Doorway } from '../../shell/doorway.tsx';

/** What a new merchant tells. */
export function SignUpForm({ onDone }: { onDone: (answer: SignUpAnswer) => void }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const signUp = useSignUp();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      merchant_name: '',
      email: '',
      password: '',
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'Asia/Seoul',
    },
    validate: { merchant_name: rules.required, email: rules.email, password: rules.newPassword },
  });
  const open = form.onSubmit((values) =>
    signUp.mutate(
      { ...values, merchant_name: values.merchant_name.trim() },
      {
        onSuccess: onDone,
        onError: (error) =>
          form.setErrors(isWrongPassword(error) ? { email: t('signUp.known') } : formErrors(error)),
      },
    ),
  );
  return (
    <Doorway
      title={t('signUp.title')}
      lead={t('signUp.lead')}
      foot={
        <>
          {t('signUp.hasAccount')} <TextLink to="/sign-in">{t('signUp.signIn')}</TextLink>
        </>
      }
    >
      <form onSubmit={open} noValidate>
        <Stack gap="md">
          <ErrorNotice error={isWrongPassword(signUp.error) ? null : signUp.error} />
          <TextInput
            label={t('fields.merchantName')}
            autoComplete="organization"
            required
            {...form.getInputProps('merchant_name')}
          />
          <TextInput
            label={t('fields.email')}
            type="email"
            autoComplete="username"
            required
            {...form.getInputProps('email')}
          />
          <PasswordField fresh {...form.getInputProps('password')} />
          <TimeZoneInput key={form.key('timezone')} {...form.getInputProps('timezone')} />
          <Button type="submit" loading={signUp.isPending} mt={4}>
            {t('signUp.act')}
          </Button>
        </Stack>
      </form>
    </Doorway>
  );
}

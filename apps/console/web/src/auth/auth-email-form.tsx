import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MailSentResponse } from '../api/types.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formErrors } from '../errors/form-errors.ts';
import { useFormRules } from '../hooks/use-form-rules.ts';
import { CheckMail } from './check-mail.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { SignedOutOnly } from './signed-out-only.tsx';

interface AuthEmailFormProps {
  title: string;
  lead: string;
  act: string;
  /** Says what to do with the mail. */
  mailed: (email: string) => string;
  foot: ReactNode;
  request: UseMutationResult<MailSentResponse, Error, { email: string }>;
}

/** A page that asks for an e-mail address, and then says that a mail is on its way. */
export function AuthEmailForm({ title, lead, act, mailed, foot, request }: AuthEmailFormProps) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '' },
    validate: { email: rules.email },
  });
  const submit = form.onSubmit(({ email }) =>
    request.mutate({ email: email.trim() }, { onError: (error) => form.setErrors(formErrors(error)) }),
  );
  return (
    <SignedOutOnly>
      {request.data ? (
        <AuthLayout title={t('checkMail.title')} foot={foot}>
          <CheckMail text={mailed(request.data.mailed_to)} />
        </AuthLayout>
      ) : (
        <AuthLayout title={title} lead={lead} foot={foot}>
          <form onSubmit={submit} noValidate>
            <Stack gap="md">
              <ErrorNotice error={request.error} />
              <TextInput
                label={t('fields.email')}
                type="email"
                autoComplete="username"
                required
                {...form.getInputProps('email')}
              />
              <Button type="submit" loading={request.isPending} mt={4}>
                {act}
              </Button>
            </Stack>
          </form>
        </AuthLayout>
      )}
    </SignedOutOnly>
  );
}

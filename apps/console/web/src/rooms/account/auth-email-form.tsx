import { TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MailSentResponse } from '../../data/types.ts';
import { Form } from '../../ui/form.tsx';
import { useChangeForm } from '../../ui/use-change-form.ts';
import { useFormRules } from '../../ui/use-form-rules.ts';
import { AuthLayout, SignedOutOnly } from './auth-layout.tsx';

interface AuthEmailFormProps {
  title: string;
  lead: string;
  actionLabel: string;
  /** The text after the email was sent. */
  mailed: (email: string) => string;
  foot: ReactNode;
  request: UseMutationResult<MailSentResponse, Error, { email: string }>;
}

/**
 * A page that asks for an email address and then confirms that an email was sent. The text is the same whether or not
 * the address has an account.
 */
export function AuthEmailForm({ title, lead, actionLabel, mailed, foot, request }: AuthEmailFormProps) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { form, submit } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { email: '' },
    validate: { email: rules.email },
    send: ({ email }) => request.mutateAsync({ email: email.trim() }),
  });
  return (
    <SignedOutOnly>
      {request.data ? (
        <AuthLayout title={t('checkMail.title')} foot={foot}>
          <div role="status">
            <p style={{ margin: '0 0 12px', overflowWrap: 'anywhere' }}>{mailed(request.data.mailed_to)}</p>
            <p style={{ margin: 0, color: 'var(--ink-soft)' }}>{t('checkMail.nothing')}</p>
          </div>
        </AuthLayout>
      ) : (
        <AuthLayout title={title} lead={lead} foot={foot}>
          <Form submit={submit} actionLabel={actionLabel}>
            <TextInput
              label={t('fields.email')}
              type="email"
              autoComplete="username"
              required
              {...form.getInputProps('email')}
            />
          </Form>
        </AuthLayout>
      )}
    </SignedOutOnly>
  );
}

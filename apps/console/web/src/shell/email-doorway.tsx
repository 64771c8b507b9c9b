import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MailedAnswer } from '../api/types.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { formErrors } from '../parts/form-errors.ts';
import { useFormRules } from '../parts/use-form-rules.ts';
import { CheckMail } from './check-mail.tsx';
import { Doorway } from './doorway.tsx';
import { SignedOutOnly } from './signed-out-only.tsx';

interface EmailDoorwayProps {
  title: string;
  lead: string;
  act: string;
  /** Says what to do with the mail. */
  mailed: (email: string) => string;
  foot: ReactNode;
  request: UseMutationResult<MailedAnswer, Error, { email: string }>;
}

/** A page that asks for an e-mail address, and then says that a mail is on its way. */
export function EmailDoorway({ title, lead, act, mailed, foot, request }: EmailDoorwayProps) {
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
        <Doorway title={t('checkMail.title')} foot={foot}>
          <CheckMail text={mailed(request.data.mailed_to)} />
        </Doorway>
      ) : (
        <Doorway title={title} lead={lead} foot={foot}>
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
        </Doorway>
      )}
    </SignedOutOnly>
  );
}

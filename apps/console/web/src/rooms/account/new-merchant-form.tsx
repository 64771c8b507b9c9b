import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { SignUpResponse } from '../../data/types.ts';
import type { Change } from '../../data/use-send.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { TimeZoneInput } from '../../ui/time-zone-input.tsx';
import { formErrors } from '../../data/form-errors.ts';
import { useFormRules } from '../../ui/use-form-rules.ts';
import { keepFirstKeys } from './first-keys-store.ts';

interface Values {
  merchant_name: string;
  timezone: string;
  password: string;
}

interface NewMerchantFormProps {
  create: Change<Values, SignUpResponse>;
  /** The email of the account that is created with the merchant, which needs a password. */
  newAccount?: string;
  actionLabel: string;
}

/** Creates a merchant, then shows its keys. */
export function NewMerchantForm({ create, newAccount, actionLabel }: NewMerchantFormProps) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const [, navigate] = useLocation();
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { merchant_name: '', timezone: browserTimeZone(), password: '' },
    validate: {
      merchant_name: rules.required,
      password: (password) => (newAccount === undefined ? null : rules.newPassword(password)),
    },
  });
  const submit = form.onSubmit((values) =>
    create.mutate(
      { ...values, merchant_name: values.merchant_name.trim() },
      {
        onSuccess: (response) => {
          keepFirstKeys(response);
          navigate('/first-keys', { replace: true });
        },
        onError: (error) => form.setErrors(formErrors(error)),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <ErrorNotice error={create.error} />
        {newAccount !== undefined && (
          <input type="hidden" autoComplete="username" value={newAccount} readOnly />
        )}
        <TextInput
          label={t('fields.merchantName')}
          autoComplete="organization"
          required
          {...form.getInputProps('merchant_name')}
        />
        <TimeZoneInput key={form.key('timezone')} {...form.getInputProps('timezone')} />
        {newAccount !== undefined && <PasswordField isNew {...form.getInputProps('password')} />}
        <Button type="submit" loading={create.isPending} mt={4}>
          {actionLabel}
        </Button>
      </Stack>
    </form>
  );
}

const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'Asia/Seoul';

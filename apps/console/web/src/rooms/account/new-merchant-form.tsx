import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { SignUpResponse } from '../../data/types.ts';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { TimeZoneInput } from '../../ui/time-zone-input.tsx';
import { useChangeForm } from '../../ui/use-change-form.ts';
import { useFormRules } from '../../ui/use-form-rules.ts';
import { keepFirstKeys } from './first-keys-store.ts';

interface Values {
  merchant_name: string;
  timezone: string;
  password: string;
}

interface NewMerchantFormProps {
  create: (values: Values) => Promise<SignUpResponse>;
  /** The email of the account that is created with the merchant, which needs a password. */
  newAccount?: string;
  actionLabel: string;
}

/** Creates a merchant, then shows its keys. */
export function NewMerchantForm({ create, newAccount, actionLabel }: NewMerchantFormProps) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const [, navigate] = useLocation();
  const { form, submit } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { merchant_name: '', timezone: browserTimeZone(), password: '' },
    validate: {
      merchant_name: rules.required,
      password: (password) => (newAccount === undefined ? null : rules.newPassword(password)),
    },
    send: (values) => create({ ...values, merchant_name: values.merchant_name.trim() }),
    done: (response) => {
      keepFirstKeys(response);
      navigate('/first-keys', { replace: true });
    },
  });
  return (
    <Form submit={submit} actionLabel={actionLabel} username={newAccount}>
      <TextInput
        label={t('fields.merchantName')}
        autoComplete="organization"
        required
        {...form.getInputProps('merchant_name')}
      />
      <TimeZoneInput key={form.key('timezone')} {...form.getInputProps('timezone')} />
      {newAccount !== undefined && <PasswordField isNew {...form.getInputProps('password')} />}
    </Form>
  );
}

const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'Asia/Seoul';

import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { TimeZoneInput } from '../../components/time-zone-input.tsx';

/** Name and time zone of a new merchant, in an uncontrolled form. */
export function MerchantFields<T extends { merchant_name: string; timezone: string }>({
  form,
}: {
  form: UseFormReturnType<T>;
}) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('fields.merchantName')}
        autoComplete="organization"
        required
        {...form.getInputProps('merchant_name')}
      />
      <TimeZoneInput key={form.key('timezone')} {...form.getInputProps('timezone')} />
    </>
  );
}

/** The browser's time zone, to begin with. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'Asia/Seoul';

import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Redirect, useLocation } from 'wouter';
import { useNewMerchant, useSessionQuery } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formErrors } from '../../errors/form-errors.ts';
import { TextLink } from '../../components/links.tsx';
import { useFormRules } from '../../hooks/use-form-rules.ts';
import { AuthLayout } from '../../auth/auth-layout.tsx';
import { keepFirstKeys } from './first-keys-store.ts';
import { MerchantFields, ownTimeZone } from './merchant-fields.tsx';

/** Creates one more merchant of who is signed in. */
export function NewShop() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const session = useSessionQuery();
  const create = useNewMerchant();
  const [, navigate] = useLocation();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { merchant_name: '', timezone: ownTimeZone() },
    validate: { merchant_name: rules.required },
  });
  if (session.data === null) return <Redirect replace to="/sign-in?next=%2Fnew-shop" />;
  const submit = form.onSubmit((values) =>
    create.mutate(
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
    <AuthLayout
      title={t('newShop.title')}
      lead={t('newShop.lead', { email: session.data?.user.email ?? '' })}
      foot={<TextLink to="/">{t('newShop.back')}</TextLink>}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <ErrorNotice error={create.error} />
          <MerchantFields form={form} />
          <Button type="submit" loading={create.isPending} mt={4}>
            {t('newShop.action')}
          </Button>
        </Stack>
      </form>
    </AuthLayout>
  );
}

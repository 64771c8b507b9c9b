import { useTranslation } from 'react-i18next';
import { Redirect } from 'wouter';
import { useSessionQuery } from '../../data/session.ts';
import { useSend } from '../../data/use-send.ts';
import { AuthLayout } from './auth-layout.tsx';
import { TextLink } from '../../ui/links.tsx';
import { NewMerchantForm } from './new-merchant-form.tsx';

/** Creates another merchant for the signed-in user. */
export function NewShop() {
  const { t } = useTranslation();
  const session = useSessionQuery();
  const create = useSend('POST /merchants');
  if (session.data === null) return <Redirect replace to="/sign-in?next=%2Fnew-shop" />;
  return (
    <AuthLayout
      title={t('newShop.title')}
      lead={t('newShop.lead', { email: session.data?.user.email ?? '' })}
      foot={<TextLink to="/">{t('newShop.back')}</TextLink>}
    >
      <NewMerchantForm
        // An account that exists needs no password.
        create={({ merchant_name, timezone }) => create.mutateAsync({ merchant_name, timezone })}
        actionLabel={t('newShop.action')}
      />
    </AuthLayout>
  );
}

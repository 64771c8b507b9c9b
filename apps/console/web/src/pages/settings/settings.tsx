import { useTranslation } from 'react-i18next';
import { Page } from '../../parts/page.tsx';
import { MerchantForm } from './merchant-form.tsx';
import { PasswordForm } from './password-form.tsx';

/** The merchant's name, zone and contact, and one's own password. */
export function Settings() {
  const { t } = useTranslation();
  return (
    <Page title={t('nav.settings')} lead={t('settings.lead')}>
      <MerchantForm />
      <PasswordForm />
    </Page>
  );
}

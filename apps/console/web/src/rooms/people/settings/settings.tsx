import { useTranslation } from 'react-i18next';
import { shownMode } from '../../../app/mode.ts';
import { LinkButton } from '../../../ui/links.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { MerchantForm } from './merchant-form.tsx';
import { PasswordForm } from './password-form.tsx';

/** Settings of the merchant and of the signed-in user. */
export function Settings() {
  const { t } = useTranslation();
  return (
    <Page
      title={t('nav.settings')}
      lead={shownMode() === 'test' ? `${t('settings.lead')} ${t('testSide.shared')}` : t('settings.lead')}
    >
      <MerchantForm />
      <PasswordForm />
      <Section title={t('settings.anotherShop')} lead={t('settings.anotherShopLead')}>
        <LinkButton to="/new-shop" variant="default">
          {t('newShop.title')}
        </LinkButton>
      </Section>
    </Page>
  );
}

import { useTranslation } from 'react-i18next';
import { useCompleteSignUp, useOpenSignUp } from '../../data/session.ts';
import { usePathId } from '../../app/paths.ts';
import { AuthLinkLayout } from './auth-link-layout.tsx';
import { NewMerchantForm } from './new-merchant-form.tsx';

/** Creates an account and its merchant, through the link in an email. */
export function NewAccount() {
  const { t } = useTranslation();
  const token = usePathId();
  const create = useCompleteSignUp(token);
  return (
    <AuthLinkLayout
      title={t('newAccount.title')}
      query={useOpenSignUp(token)}
      expired={{ title: t('newAccount.expired'), text: t('newAccount.expiredText') }}
    >
      {({ email }) => (
        <>
          <p style={{ margin: '0 0 16px', overflowWrap: 'anywhere' }}>{t('newAccount.text', { email })}</p>
          <NewMerchantForm create={create} newAccount={email} actionLabel={t('newAccount.action')} />
        </>
      )}
    </AuthLinkLayout>
  );
}

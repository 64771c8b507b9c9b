import { useTranslation } from 'react-i18next';
import { useRead } from '../../data/use-read.ts';
import { useSend } from '../../data/use-send.ts';
import { usePathId } from '../../app/paths.ts';
import { AuthLinkLayout } from './auth-link-layout.tsx';
import { NewMerchantForm } from './new-merchant-form.tsx';

/** Creates an account and its merchant, through the link in an email. */
export function NewAccount() {
  const { t } = useTranslation();
  const token = usePathId();
  const create = useSend('POST /sign-ups/:token', { token });
  return (
    <AuthLinkLayout
      title={t('newAccount.title')}
      query={useRead('GET /sign-ups/:token', { token })}
      expired={{ title: t('newAccount.expired'), text: t('newAccount.expiredText') }}
    >
      {({ email }) => (
        <>
          <p style={{ margin: '0 0 16px', overflowWrap: 'anywhere' }}>{t('newAccount.text', { email })}</p>
          <NewMerchantForm
            create={create.mutateAsync}
            newAccount={email}
            actionLabel={t('newAccount.action')}
          />
        </>
      )}
    </AuthLinkLayout>
  );
}

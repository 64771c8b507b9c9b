import { useTranslation } from 'react-i18next';
import { useSend } from '../../data/use-send.ts';
import { TextLink } from '../../ui/links.tsx';
import { AuthEmailForm } from './auth-email-form.tsx';

/** Asks for the email of a new account. The link in the email leads to the rest of the form. */
export function SignUp() {
  const { t } = useTranslation();
  return (
    <AuthEmailForm
      title={t('signUp.title')}
      lead={t('signUp.lead')}
      actionLabel={t('signUp.action')}
      mailed={(email) => t('signUp.mailed', { email })}
      request={useSend('POST /sign-up')}
      foot={
        <>
          {t('signUp.hasAccount')} <TextLink to="/sign-in">{t('signUp.signIn')}</TextLink>
        </>
      }
    />
  );
}

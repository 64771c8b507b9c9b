import { useTranslation } from 'react-i18next';
import { useSignUp } from '../../api/session.ts';
import { TextLink } from '../../components/links.tsx';
import { AuthEmailForm } from '../../auth/auth-email-form.tsx';

/** Asks for the e-mail address of a new account; the rest is asked for behind the link that is mailed there. */
export function SignUp() {
  const { t } = useTranslation();
  return (
    <AuthEmailForm
      title={t('signUp.title')}
      lead={t('signUp.lead')}
      actionLabel={t('signUp.action')}
      mailed={(email) => t('signUp.mailed', { email })}
      request={useSignUp()}
      foot={
        <>
          {t('signUp.hasAccount')} <TextLink to="/sign-in">{t('signUp.signIn')}</TextLink>
        </>
      }
    />
  );
}

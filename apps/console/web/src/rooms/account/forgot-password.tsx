import { useTranslation } from 'react-i18next';
import { useSend } from '../../data/use-send.ts';
import { TextLink } from '../../ui/links.tsx';
import { AuthEmailForm } from './auth-email-form.tsx';

/** Requests an email with a link to reset a password. */
export function ForgotPassword() {
  const { t } = useTranslation();
  return (
    <AuthEmailForm
      title={t('forgotPassword.title')}
      lead={t('forgotPassword.lead')}
      actionLabel={t('forgotPassword.action')}
      mailed={(email) => t('forgotPassword.mailed', { email })}
      request={useSend('POST /password-resets')}
      foot={<TextLink to="/sign-in">{t('forgotPassword.back')}</TextLink>}
    />
  );
}

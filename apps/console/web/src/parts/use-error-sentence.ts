import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';

/** Puts an error into a sentence of the chosen language that says what to do. */
export function useErrorSentence(): (error: Error) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    if (!(error instanceof ApiError)) return t('errors.internal_error');
    if (error.code === 'rate_limited' && error.retryAfter)
      return t('errors.rateLimitedFor', { seconds: error.retryAfter });
    // Why a state does not allow something only the server knows; it says so in English.
    if (error.code === 'conflict' && i18n.language === 'en') return error.message;
    return t(`errors.${error.code}`);
  };
}

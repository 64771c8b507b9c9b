import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';
import { inChosenLanguage } from './in-chosen-language.ts';

/** Puts an error into a sentence of the chosen language that says what to do. */
export function useErrorSentence(): (error: Error) => string {
  const { t } = useTranslation();
  return (error) => {
    if (!(error instanceof ApiError)) return t('errors.internal_error');
    if (error.code === 'rate_limited' && error.retryAfter)
      return t('errors.rateLimitedFor', { seconds: error.retryAfter });
    // Why a state does not allow something only the server knows.
    if (error.code === 'conflict') return inChosenLanguage(error.message);
    return t(`errors.${error.code}`);
  };
}

import { useTranslation } from 'react-i18next';
import { ApiError } from './api-error.ts';
import { reasonText } from './reason-text.ts';

/** Writes an error in the chosen language: what happened and what to do. */
export function useErrorSentence(): (error: Error) => string {
  const { t } = useTranslation();
  return (error) => {
    if (!(error instanceof ApiError)) return t('errorTexts.internal_error');
    return error.reason ? reasonText(error.reason, error.message) : t('errors.unreachable');
  };
}

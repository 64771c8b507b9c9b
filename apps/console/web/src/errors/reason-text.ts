import { getI18n } from 'react-i18next';
import type { ErrorResponse } from '../api/types.ts';

type Reason = ErrorResponse['reason'] | NonNullable<ErrorResponse['fields']>[string];

/** The text of a reason in the chosen language; `fallback` where a newer server sends a code that is not known here. */
export function reasonText({ code, parameters }: Reason, fallback: string): string {
  return getI18n().t(`errorTexts.${code}`, { ...parameters, defaultValue: fallback });
}

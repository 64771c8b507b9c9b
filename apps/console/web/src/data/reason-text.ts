import { getI18n } from 'react-i18next';
import type { ErrorResponse } from './types.ts';

type Reason = ErrorResponse['reason'] | NonNullable<ErrorResponse['fields']>[string];

/** The text of a reason in the chosen language. `fallback` is for codes of a newer server that are unknown here. */
export function reasonText({ code, parameters }: Reason, fallback: string): string {
  return getI18n().t(`errorTexts.${code}`, { ...parameters, defaultValue: fallback });
}

import { getI18n } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';
import { problemInKorean } from './problem-in-korean.ts';

/** The problems of the fields that a form shows itself; `prefix` is what the API puts before their names. */
export function formErrors(error: unknown, prefix = ''): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const inKorean = getI18n().language === 'ko';
  return Object.fromEntries(
    Object.entries(error.params).map(([path, problem]) => [
      path.startsWith(prefix) ? path.slice(prefix.length) : path,
      inKorean ? problemInKorean(problem) : problem,
    ]),
  );
}

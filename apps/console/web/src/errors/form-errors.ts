import { ApiError } from '../api/api-error.ts';
import { inChosenLanguage } from './in-chosen-language.ts';

/** The problems of the fields that a form shows itself; `prefix` is what the API puts before their names. */
export function formErrors(error: unknown, prefix = ''): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    Object.entries(error.params).map(([path, problem]) => [
      path.startsWith(prefix) ? path.slice(prefix.length) : path,
      inChosenLanguage(problem),
    ]),
  );
}

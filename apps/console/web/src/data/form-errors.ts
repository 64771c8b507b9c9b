import { ApiError } from './api-error.ts';
import { reasonText } from './reason-text.ts';

/**
 * The errors of the fields of a form, by field. The error of an element, such as `allowed_origins.0` or `items[0]`, is that of its field. `prefix` is the
 * part of the API's paths before the field.
 */
export function formErrors(error: unknown, prefix = ''): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    Object.entries(error.fields).map(([path, reason]) => [
      withoutIndex(path.startsWith(prefix) ? path.slice(prefix.length) : path),
      reasonText(reason, error.params[path] ?? ''),
    ]),
  );
}

const withoutIndex = (path: string): string => path.split(/\[|\.(?=\d+(?:[.[]|$))/)[0] ?? path;

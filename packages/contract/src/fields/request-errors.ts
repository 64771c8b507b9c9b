import { describeFieldError, fieldError } from './field-errors.ts';
import type { FieldError } from './field-errors.ts';
import type { FieldErrorSink } from './request-warnings.ts';

/** Maximum number of invalid fields that an answer names. */
export const MAX_NAMED_FIELDS = 1_000;

/** Collects the errors of a request by the path of the field, up to {@link MAX_NAMED_FIELDS}; `body` says that there are more. */
export class RequestErrors implements FieldErrorSink {
  private readonly texts = new Map<string, string>();
  private count = 0;

  /** Adds the error of a field. The first error of a path is kept. */
  add(path: string, error: FieldError): void {
    if (this.texts.has(path)) return;
    this.count++;
    if (!this.overflowed) this.texts.set(path, describeFieldError(error));
    else this.texts.set('body', describeFieldError(fieldError('more_errors', { limit: MAX_NAMED_FIELDS })));
  }

  /** The errors by path, as in `params` of an error answer. */
  get params(): Record<string, string> {
    return Object.fromEntries(this.texts);
  }

  /** Whether there are any errors. */
  get any(): boolean {
    return this.count > 0;
  }

  /** Whether there are more invalid fields than an answer names. Validation stops then. */
  get overflowed(): boolean {
    return this.count > MAX_NAMED_FIELDS;
  }
}

import { fieldError } from './field-errors.ts';
import type { FieldError, FieldErrors } from './field-errors.ts';
import type { FieldErrorSink } from './request-warnings.ts';

/** Maximum number of invalid fields that an answer names. */
export const MAX_NAMED_FIELDS = 1_000;

/** Collects the errors of a request by the path of the field, up to {@link MAX_NAMED_FIELDS}; `body` says that there are more. */
export class RequestErrors implements FieldErrorSink {
  private readonly named = new Map<string, FieldError>();
  private count = 0;

  /** Adds the error of a field. The first error of a path is kept. */
  add(path: string, error: FieldError): void {
    if (this.named.has(path)) return;
    this.count++;
    if (!this.overflowed) this.named.set(path, error);
    else this.named.set('body', fieldError('more_errors', { limit: MAX_NAMED_FIELDS }));
  }

  /** The errors by path. */
  get byPath(): FieldErrors {
    return Object.fromEntries(this.named);
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

import { describeFieldError, fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';

/** Maximum number of invalid fields that an answer names. */
export const MAX_NAMED_FIELDS = 10_000;

/** Collects the errors of a request by the path of the field, up to {@link MAX_NAMED_FIELDS}. */
export class RequestErrors {
  readonly params: Record<string, string> = {};
  private count = 0;

  /** Adds the error of a field. The first error of a path is kept. */
  add(path: string, error: FieldError): void {
    if (Object.hasOwn(this.params, path)) return;
    this.count++;
    if (this.count <= MAX_NAMED_FIELDS) this.params[path] = describeFieldError(error);
    else this.params.orders = describeFieldError(fieldError('more_errors', { limit: MAX_NAMED_FIELDS }));
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

import { describeFieldError, fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';

/** How many bad fields an answer names at most. */
export const MAX_BAD_FIELDS = 10_000;

/** Collects the bad fields of a request by path, up to {@link MAX_BAD_FIELDS}. */
export class BadFields {
  readonly params: Record<string, string> = {};
  private count = 0;

  /** Names a bad field; the first error of a path stays. */
  add(path: string, error: FieldError): void {
    if (Object.hasOwn(this.params, path)) return;
    this.count++;
    if (this.count <= MAX_BAD_FIELDS) this.params[path] = describeFieldError(error);
    else this.params.orders = describeFieldError(fieldError('more_errors', { limit: MAX_BAD_FIELDS }));
  }

  get any(): boolean {
    return this.count > 0;
  }

  /** There are more bad fields than are named: looking on is of no use. */
  get overflowed(): boolean {
    return this.count > MAX_BAD_FIELDS;
  }
}

import type { Fields } from '../fields/field.ts';
import { isJsonObject } from '../fields/json-object.ts';
import { describeFieldError, describeFieldErrors, fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { MAX_DEPTH, nestsDeeperThan } from '../fields/nesting.ts';
import { compileSchema } from '../fields/schema.ts';

/** The canonical body, or the error of each bad field by its name (`body` for the body as a whole). */
export type ValidationResult<T> =
  { kind: 'valid'; value: T } | { kind: 'invalid'; params: Record<string, string> };

/** Builds the validation of a small body by a table of its fields. Absent optional fields are left out of the value. */
export function compileValidation<T>(fields: Fields<T>): (body: unknown) => ValidationResult<T> {
  const validate = compileSchema(fields);
  return (body) => {
    if (!isJsonObject(body)) return invalid('body', fieldError('not_an_object'));
    if (isTooDeep(body)) return invalid('body', fieldError('nested_too_deep', { limit: MAX_DEPTH }));
    const result = validate(body);
    if (!result.ok) return { kind: 'invalid', params: describeFieldErrors(result.errors) };
    const present = Object.entries(result.value as object).filter(([, value]) => value !== undefined);
    return { kind: 'valid', value: Object.fromEntries(present) as T };
  };
}

function invalid(path: string, error: FieldError): { kind: 'invalid'; params: Record<string, string> } {
  return { kind: 'invalid', params: { [path]: describeFieldError(error) } };
}

function isTooDeep(body: object): boolean {
  const check = nestsDeeperThan(body, MAX_DEPTH);
  let step = check.next();
  while (step.done !== true) step = check.next();
  return step.value;
}

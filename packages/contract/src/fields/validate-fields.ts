import Joi from 'joi';
import { isJsonObject } from '../json/nesting.ts';
import { fieldError } from './field-errors.ts';
import type { FieldErrors } from './field-errors.ts';
import { fieldErrorsOf } from './joi-errors.ts';
import type { LocalOffset } from './time-zone.ts';

/** The schema of each field of an object. */
export type Fields<T> = { readonly [Name in keyof T]-?: Joi.Schema };

/** Either the canonical value, or the error of each invalid field by its name (`''` for the value itself). */
export type FieldsResult<T> = { ok: true; value: T } | { ok: false; errors: FieldErrors };

/** What rules need to know of the request. */
export interface FieldsContext {
  /** The offsets of date-times without one; without it they are refused. */
  localOffset?: LocalOffset;
  /** Whether values that would count as absent are errors. */
  strict?: boolean;
}

/** Validates one object. Unknown fields are dropped. */
export type FieldsValidation<T> = (value: unknown, context?: FieldsContext) => FieldsResult<T>;

/** Compiles the validation of an object with these fields. It takes about 5 µs for each object, and more when there are errors. */
export function compileFields<T>(fields: Fields<T>): FieldsValidation<T> {
  const names = Object.keys(fields);
  const defaults = new Map(
    Object.entries<Joi.Schema>(fields).flatMap(([name, field]) => {
      const { flags } = field.describe() as { flags?: { default?: unknown } };
      return flags?.default === undefined ? [] : [[name, nameOfDefault(flags.default)] as const];
    }),
  );
  const schema = Joi.object(fields)
    .required()
    .prefs({ convert: false, abortEarly: false, errors: { render: false } });
  return (value, context = {}) => {
    const picked = isJsonObject(value) ? pick(value, names) : value;
    const result = schema.validate(picked, { context });
    if (result.error === undefined) return { ok: true, value: result.value as T };
    const errors = fieldErrorsOf(result.error);
    for (const [name, { code }] of Object.entries(errors)) {
      const instead = defaults.get(name);
      if (code === 'not_a_number') errors[name] = fieldError('not_an_integer');
      else if (code === 'null_not_allowed' && instead !== undefined)
        errors[name] = fieldError('null_for_default', { instead });
    }
    return { ok: false, errors };
  };
}

/** What a merchant can send in place of null, in words. */
function nameOfDefault(value: unknown): string {
  if (value === '') return 'an empty text';
  return Array.isArray(value) ? 'an empty list' : JSON.stringify(value);
}

/**
 * The known fields. Joi must not get the others: it copies objects with Object.assign, so a field named `__proto__` would
 * become the prototype of the copy, which would then inherit its fields.
 */
function pick(value: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) picked[name] = value[name];
  return picked;
}

import Joi from 'joi';
import { readDateTime } from './date-time.ts';
import type { DateTimeField, Field, Fields, HexField, IntegerField, TextField } from './field.ts';
import { fieldError } from './field-errors.ts';
import type { FieldErrors } from './field-errors.ts';
import { fieldErrorsOf } from './joi-errors.ts';
import { textProblem } from './text.ts';
import type { LocalOffset } from './time-zone.ts';
import { isJsonObject } from '../json/nesting.ts';

/** Either the canonical value, or the error of each invalid field by its name (`''` for the value itself). */
export type SchemaResult<T> = { ok: true; value: T } | { ok: false; errors: FieldErrors };

/** Validates one value against a table of fields, and returns all errors. */
export type SchemaCheck<T> = (value: unknown, localOffset?: LocalOffset) => SchemaResult<T>;

/**
 * Compiles the Joi schema of a table. It takes about 5 µs per object, and more when there are errors, so hot paths try
 * the readers of the same table (`compileReaders`) first.
 */
export function compileSchema<T>(fields: Fields<T>): SchemaCheck<T> {
  const names = Object.keys(fields);
  const schema = Joi.object(
    Object.fromEntries(names.map((name) => [name, schemaOf(fields[name as keyof T])])),
  )
    .required()
    .prefs({ convert: false, abortEarly: false, errors: { render: false } });
  return (value, localOffset) => {
    const picked = isJsonObject(value) ? pick(value, names) : value;
    const result = schema.validate(picked, { context: { localOffset } });
    if (result.error === undefined) return { ok: true, value: result.value as T };
    const errors = fieldErrorsOf(result.error);
    for (const [name, { code }] of Object.entries(errors))
      if (code === 'not_a_number') errors[name] = fieldError('not_an_integer');
    return { ok: false, errors };
  };
}

/**
 * The known fields in the order of the table. Joi must not get the others: it copies objects with Object.assign, so a
 * field named `__proto__` would become the prototype of the copy, which would then inherit its fields.
 */
function pick(value: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) picked[name] = value[name];
  return picked;
}

function schemaOf(field: Field): Joi.Schema {
  const schema = kindSchemaOf(field);
  if (field.required) return schema.required();
  if (field.kind === 'list') return schema.default(() => []);
  if (field.kind === 'date_time') return schema.default(null);
  return 'default' in field ? schema.default(field.default) : schema;
}

function kindSchemaOf(field: Field): Joi.Schema {
  switch (field.kind) {
    case 'text':
      return textSchema(field);
    case 'hex':
      return hexSchema(field);
    case 'integer':
      return integerSchema(field);
    case 'boolean':
      return Joi.boolean().invalid(null);
    case 'date_time':
      return dateTimeSchema(field);
    case 'list':
      return Joi.array().invalid(null);
  }
}

function textSchema({ minLength, maxLength }: TextField): Joi.Schema {
  const schema = Joi.string()
    .invalid(null)
    .custom((text: string, { error }) => {
      const problem = textProblem(text, minLength, maxLength);
      return problem === undefined ? text : error(problem, { limit: maxLength });
    });
  return minLength === 0 ? schema.allow('') : schema;
}

function hexSchema({ length }: HexField): Joi.Schema {
  return Joi.string()
    .invalid(null)
    .custom((text: string, { error }) =>
      text.length === length && /^[0-9a-f]+$/i.test(text)
        ? text
        : error('not_hexadecimal', { limit: length }),
    );
}

function integerSchema({ min }: IntegerField): Joi.Schema {
  // Without `unsafe`, Joi would report a large negative number as too large.
  return Joi.number().unsafe().integer().min(min).max(Number.MAX_SAFE_INTEGER).invalid(null);
}

function dateTimeSchema({ required, offset }: DateTimeField): Joi.Schema {
  const schema = Joi.string().custom((text: string, { error, prefs }) => {
    const read = readDateTime(text, offset === 'optional' ? prefs.context?.localOffset : undefined);
    return typeof read === 'string' ? read : error(read.problem);
  });
  return required ? schema.invalid(null) : schema.allow(null);
}

import Joi from 'joi';
import { readOrderTime } from './date-time.ts';
import { textProblem } from './text.ts';

/*
 * The fields of request bodies. Types are strict: nothing is converted, and null is refused where it is not allowed. A rule that is a
 * function has the JSON Schema of what it accepts in its `meta`, from which the OpenAPI document is made.
 */

/** A string of `min` to `max` code points that PostgreSQL can store: without NUL and lone surrogates. */
export function text(min: 0 | 1, max: number): Joi.StringSchema {
  const schema = Joi.string()
    .invalid(null)
    .custom((value: string, { error }) => {
      const problem = textProblem(value, min, max);
      return problem === undefined ? value : error(problem, { limit: max });
    })
    .meta({ schema: { type: 'string', minLength: min, maxLength: max } });
  return min === 0 ? schema.allow('') : schema;
}

/** A string of exactly `length` hexadecimal characters of either case. */
export const hex = (length: number): Joi.StringSchema =>
  Joi.string()
    .invalid(null)
    .custom((value: string, { error }) =>
      value.length === length && /^[0-9a-f]+$/i.test(value)
        ? value
        : error('not_hexadecimal', { limit: length }),
    )
    .meta({ schema: { type: 'string', pattern: `^[0-9A-Fa-f]{${length}}$` } });

/** An integer from `min` to 2^53−1. */
export const integer = (min: number): Joi.NumberSchema =>
  // Without `unsafe`, Joi would report a large negative number as too large.
  Joi.number()
    .unsafe()
    .integer()
    .min(min)
    .max(Number.MAX_SAFE_INTEGER)
    .invalid(null)
    .meta({ schema: { type: 'integer', minimum: min, maximum: Number.MAX_SAFE_INTEGER } });

/** `true` or `false`. */
export const boolean = (): Joi.BooleanSchema =>
  Joi.boolean()
    .invalid(null)
    .meta({ schema: { type: 'boolean' } });

const extendedPattern = '\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}(:\\d{2}([.,]\\d{1,9})?)?';
const basicPattern = '\\d{8}[Tt]\\d{4}(\\d{2}([.,]\\d{1,9})?)?';
const dateTimePattern = `(${extendedPattern}|${basicPattern})`;
const offsetPattern = '([Zz]|[+-]\\d{2}(:?\\d{2})?)';

/** A date-time with an offset that `readOrderTime` accepts. */
export const dateTime = (): Joi.StringSchema =>
  Joi.string()
    .custom((value: string, { error }) => {
      const read = readOrderTime(value, undefined);
      return typeof read === 'string' ? read : error(read.problem);
    })
    .invalid(null)
    // Not the format date-time: seconds may be left out.
    .meta({ schema: { type: 'string', pattern: `^${dateTimePattern}${offsetPattern}$` } });

/**
 * A date-time or null; null when absent. Without an offset it is a local time: `localOffset` of the `FieldsContext` has the offsets. One
 * that means "never set" is null, and an error in strict handling.
 */
export const optionalDateTime = (): Joi.StringSchema =>
  Joi.string()
    .custom((value: string, { error, prefs }) => {
      const read = readOrderTime(value, prefs.context?.['localOffset']);
      if (typeof read === 'string') return read;
      if (read.problem !== 'date_time_never_set') return error(read.problem);
      return prefs.context?.['strict'] ? error('never_set') : null;
    })
    .allow(null)
    .default(null)
    .meta({ schema: { type: ['string', 'null'], pattern: `^${dateTimePattern}${offsetPattern}?$` } });

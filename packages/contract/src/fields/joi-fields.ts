import Joi from 'joi';
import { parseInstant } from './date-time.ts';
import { textProblem } from './text.ts';

/*
 * A field whose rule is a function has the JSON Schema of what it accepts in its `meta`, for the OpenAPI document.
 */

/** A text of 1 to `max` characters that PostgreSQL can store. Characters are code points, unlike those of Joi's `max`. */
export const textField = (max: number): Joi.StringSchema =>
  Joi.string()
    .min(1)
    .custom((given: string, helpers) => {
      const problem = textProblem(given, 0, max);
      if (problem === undefined) return given;
      return helpers.error(problem, problem === 'too_long' ? { limit: max } : {});
    })
    .meta({ schema: { type: 'string', minLength: 1, maxLength: max } });

/** A date-time, ISO 8601 with its offset, that exists and that PostgreSQL can store. Its value is that of `parseInstant`. */
export const dateTimeField = (): Joi.AnySchema =>
  Joi.any()
    .custom((given: unknown, helpers) => {
      if (typeof given !== 'string') return helpers.error('not_a_date_time');
      const read = parseInstant(given);
      return typeof read === 'string' ? read : helpers.error(read.code, read.parameters);
    })
    .meta({ schema: { type: 'string', format: 'date-time' } });

/** Which page of a list is requested. */
export interface PageQuery {
  after: string | null;
  limit: number;
}

/** The number of items of a page in a query: digits, 1 to `max`. */
export const limitField = (max: number, byDefault: number): Joi.AnySchema =>
  Joi.any()
    .custom((given: unknown, helpers) => {
      const limit = typeof given === 'string' && /^\d{1,6}$/.test(given) ? Number(given) : undefined;
      if (limit === undefined) return helpers.error('not_an_integer');
      if (limit < 1) return helpers.error('too_small', { limit: 1 });
      return limit > max ? helpers.error('too_large', { limit: max }) : limit;
    })
    .meta({ schema: { type: 'integer', minimum: 1, maximum: max } })
    .default(byDefault);

/** The longest cursor: a time and an id of 255 characters of 4 bytes each, in base64, have 1,398. */
const longestCursor = 1_500;

/** The query of every list. */
export const pageFields = {
  after: textField(longestCursor)
    .default(null)
    .description('`next` of the page before; absent for the first page.'),
  limit: limitField(200, 50).description('The most items of the page. Together they have at most 1 MiB.'),
};

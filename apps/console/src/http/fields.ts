import Joi from 'joi';
import { isTimeZone, parseDateTime, textProblem } from '@rewardhook/contract';

/** Whether PostgreSQL can store an id in a path; an id that it cannot store does not exist. */
export const isStorable = (id: string): boolean => textProblem(id, 0, Infinity) === undefined;

/** A text of 1 to `max` characters that PostgreSQL can store. */
export const text = (max: number) =>
  Joi.string()
    .min(1)
    .max(max)
    .custom((given: string, helpers) => {
      const problem = textProblem(given, 0, Infinity);
      return problem === undefined ? given : helpers.error(problem);
    });

/** An e-mail address; `normalizeEmail` gives the form in which it is stored. */
export const email = () => Joi.string().email({ tlds: false }).max(254);

/** A new password: long, of any characters (NIST SP 800-63B). */
export const newPassword = () => text(256).min(12);

/** The password of an existing account; its length was checked when it was chosen. */
export const existingPassword = () => text(256);

/** The name of a time zone. */
export const timezone = () =>
  text(64).custom((name: string, helpers) => (isTimeZone(name) ? name : helpers.error('not_a_time_zone')));

/** A date-time, ISO 8601 with its offset, as a Date: one that exists and that PostgreSQL can store. */
export const dateTime = () =>
  Joi.any().custom((given: unknown, helpers) => {
    if (typeof given !== 'string') return helpers.error('not_a_date_time');
    const read = parseDateTime(given);
    return read instanceof Date ? read : helpers.error(read.code, read.parameters);
  });

export const role = () => Joi.string().valid('owner', 'developer', 'viewer');

/** The query of every list. */
export const pageFields = {
  after: text(1_000).default(null),
  limit: Joi.number().integer().min(1).max(200).default(50),
};

/** Which page of a list is requested. */
export interface PageQuery {
  after: string | null;
  limit: number;
}

import Joi from 'joi';
import { describeFieldError, isTimeZone, parseDateTime } from '@rewardhook/contract';

// What PostgreSQL cannot keep, and what JSON keeps as something else.
const unkeepable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether an id in a path can be one: what cannot be stored was never given to anything. */
export const isStorable = (id: string): boolean => !unkeepable.test(id);

/** A text of 1 to so many characters that can be stored as it is. */
export const text = (max: number) =>
  Joi.string()
    .min(1)
    .max(max)
    .pattern(unkeepable, { invert: true, name: 'storable' })
    .messages({ 'string.pattern.invert.name': 'must not contain NUL or half characters' });

/** An e-mail address; `normalizeEmail` gives the form in which it is stored. */
export const email = () => Joi.string().email({ tlds: false }).max(254);

/** A password as chosen: long, whatever it consists of (NIST SP 800-63B). */
export const newPassword = () => text(256).min(12);

/** A password as typed in: what was chosen is known elsewhere. */
export const givenPassword = () => text(256);

/** The name of a time zone. */
export const timezone = () =>
  text(64)
    .custom((name: string, helpers) => (isTimeZone(name) ? name : helpers.error('zone')))
    .messages({ zone: 'must be a time zone such as Asia/Seoul' });

/** A moment, ISO 8601 with its offset, as a Date: one that exists and that PostgreSQL can store. */
export const moment = () =>
  Joi.string()
    .custom((given: string, helpers) => {
      const read = parseDateTime(given);
      return read instanceof Date ? read : helpers.message({ custom: describeFieldError(read) });
    })
    .messages({ 'string.base': 'must be a date-time' });

export const role = () => Joi.string().valid('owner', 'developer', 'viewer');

/** What every list takes. */
export const pageFields = {
  after: text(1_000).default(null),
  limit: Joi.number().integer().min(1).max(200).default(50),
};

/** Which part of a list is wanted. */
export interface PageQuery {
  after: string | null;
  limit: number;
}

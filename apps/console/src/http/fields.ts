import Joi from 'joi';
import { isTimeZone, textField, textProblem } from '@rewardhook/contract';
import { teamRoles } from '@rewardhook/contract/rights';
import type { Fields } from './route.ts';

/** Whether PostgreSQL can store an id in a path; an id that it cannot store does not exist. */
export const isStorable = (id: string): boolean => textProblem(id, 0, Infinity) === undefined;

/** An e-mail address; `normalizeEmail` gives the form in which it is stored. */
export const email = () => Joi.string().email({ tlds: false }).max(254);

/** A new password: long, of any characters (NIST SP 800-63B). */
export const newPassword = () => textField(256).min(12);

/** The password of an existing account; its length was checked when it was chosen. */
export const existingPassword = () => textField(256);

/** The name of a time zone. */
export const timezone = () =>
  textField(64).custom((name: string, helpers) =>
    isTimeZone(name) ? name : helpers.error('not_a_time_zone'),
  );

export const role = () => Joi.string().valid(...teamRoles);

/** A body with at least one of the fields that can be changed. */
export const withOneOf = <Body extends object>(
  changeable: Fields<Omit<Body, 'base'>>,
  others: { base: Joi.ObjectSchema },
): Joi.ObjectSchema<Body> => Joi.object<Body>({ ...changeable, ...others }).or(...Object.keys(changeable));

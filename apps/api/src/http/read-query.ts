import type { Request } from 'express';
import type Joi from 'joi';
import { fieldError, fieldErrorsOf } from '@rewardhook/contract';
import type { FieldErrors } from '@rewardhook/contract';
import { invalidRequest } from './api-error.ts';

/** Maximum number of parameters that are named in an error. */
const maxErrors = 20;

/**
 * Returns the function that reads the query of a request; custom rules of the fields can use the context that it is given. A parameter
 * without a value counts as absent. An unknown parameter is refused, because a client that misspells one would otherwise get an answer to
 * another question.
 */
export function queryReader<Query>(
  fields: Joi.ObjectSchema<Query>,
): (request: Request, context?: Joi.Context) => Query {
  const known = Object.keys((fields.describe() as { keys?: object }).keys ?? {}).join(', ');
  const schema = fields.prefs({ abortEarly: false, errors: { render: false } });
  return (request, context = {}) => {
    const given = Object.entries(request.query).filter(([, value]) => value !== '');
    // Not an object literal: a parameter `__proto__` is a parameter like any other.
    const values: unknown = Object.assign(Object.create(null), Object.fromEntries(given));
    const result = schema.validate(values, { context });
    if (!result.error) return result.value;
    const wrong = Object.entries(fieldErrorsOf(result.error)).slice(0, maxErrors);
    const errors = wrong.map(([name, error]) => [
      name.slice(0, 100),
      error.code === 'unknown_field' ? fieldError('unknown_parameter', { known }) : error,
    ]);
    throw invalidRequest(Object.fromEntries(errors) as FieldErrors);
  };
}

import type Joi from 'joi';
import { fieldErrorsOf } from '@rewardhook/contract';
import { invalidRequest } from './api-error.ts';

/** Validates a parsed body. Unknown fields are ignored. @throws ApiError `invalid_request` that names the invalid fields */
export function readFields<Fields>(schema: Joi.ObjectSchema<Fields>, value: unknown): Fields {
  const result = schema.required().validate(value, {
    abortEarly: false,
    convert: false,
    stripUnknown: { objects: true },
    errors: { render: false },
  });
  if (!result.error) return result.value;
  const { '': bodyError, ...fields } = fieldErrorsOf(result.error);
  throw invalidRequest(bodyError ? { ...fields, body: bodyError } : fields);
}

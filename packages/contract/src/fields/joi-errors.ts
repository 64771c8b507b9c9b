import type Joi from 'joi';
import { fieldError, isFieldErrorCode } from './field-errors.ts';
import type { FieldError, FieldErrors } from './field-errors.ts';

type Detail = Joi.ValidationErrorItem;

const limitOf = ({ context }: Detail) => ({ limit: Number(context?.limit) });

/** What Joi's own error types are here. */
const joiTypes = new Map<string, (detail: Detail) => FieldError>(
  Object.entries({
    'any.required': () => fieldError('required'),
    'any.invalid': () => fieldError('null_not_allowed'),
    'any.only': ({ context }) => fieldError('not_an_option', { options: context?.valids.join(', ') }),
    'object.base': () => fieldError('not_an_object'),
    'object.unknown': () => fieldError('unknown_field'),
    'object.missing': ({ context }) =>
      fieldError('one_field_required', { fields: context?.peers.join(', ') }),
    'array.base': () => fieldError('not_an_array'),
    'array.min': (detail) => fieldError('too_few_items', limitOf(detail)),
    'array.max': (detail) => fieldError('too_many_items', limitOf(detail)),
    'array.unique': () => fieldError('duplicate_item'),
    'boolean.base': () => fieldError('not_a_boolean'),
    'number.base': () => fieldError('not_a_number'),
    'number.infinity': () => fieldError('not_a_number'),
    'number.unsafe': () => fieldError('too_large', { limit: Number.MAX_SAFE_INTEGER }),
    'number.integer': () => fieldError('not_an_integer'),
    'number.min': (detail) => fieldError('too_small', limitOf(detail)),
    'number.max': (detail) => fieldError('too_large', limitOf(detail)),
    'number.greater': (detail) => fieldError('not_greater', limitOf(detail)),
    'number.precision': (detail) => fieldError('too_many_decimals', limitOf(detail)),
    'string.base': () => fieldError('not_a_string'),
    'string.empty': () => fieldError('empty'),
    'string.min': (detail) => fieldError('too_short', limitOf(detail)),
    'string.max': (detail) => fieldError('too_long', limitOf(detail)),
    'string.email': () => fieldError('not_an_email'),
  }),
);

/**
 * The field error of each path that a Joi validation refuses; `''` is the value itself. A field can break several
 * rules: the first one counts. Custom rules fail by `helpers.error(code, parameters)` with the code of a field error.
 */
export function fieldErrorsOf({ details }: Joi.ValidationError): FieldErrors {
  // Without a prototype: a field can be named `__proto__`.
  const errors = Object.create(null) as FieldErrors;
  for (const detail of details) {
    const path = pathOf(detail);
    if (!Object.hasOwn(errors, path)) errors[path] = fieldErrorOf(detail);
  }
  return errors;
}

/** `rules[0].referee` of `['rules', 0, 'referee']`. */
function pathOf({ path }: Detail): string {
  return path.reduce<string>((above, step) => {
    if (typeof step === 'number') return `${above}[${step}]`;
    return above === '' ? step : `${above}.${step}`;
  }, '');
}

function fieldErrorOf(detail: Detail): FieldError {
  const known = joiTypes.get(detail.type);
  if (known) return known(detail);
  if (!isFieldErrorCode(detail.type)) return fieldError('invalid');
  const { label: _label, value: _value, key: _key, ...parameters } = detail.context ?? {};
  return { code: detail.type, parameters } as FieldError;
}

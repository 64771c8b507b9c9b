import type Joi from 'joi';

/** A problem of one field of a rule: a code with its parameters. `packages/contract` has the texts. */
export type RuleProblem =
  | { code: PlainCode; parameters: object }
  | { code: LimitCode; parameters: { limit: number } }
  | { code: 'not_an_option'; parameters: { options: string } };

type PlainCode =
  | 'required'
  | 'not_an_object'
  | 'not_a_number'
  | 'not_an_integer'
  | 'not_a_string'
  | 'unknown_field'
  | 'empty'
  | 'nul'
  | 'lone_surrogate'
  | 'invalid';
type LimitCode = 'too_small' | 'too_large' | 'not_greater' | 'too_many_decimals' | 'too_long';

/** A rule is invalid. `problems` has the path of each invalid field, such as `referee.amount.rate`. */
export class RuleError extends Error {
  readonly problems: Record<string, RuleProblem>;

  constructor({ details }: Joi.ValidationError) {
    const problems = details.map((detail) => [detail.path.join('.') || 'rule', problemOf(detail)]);
    super('The rule is not valid.');
    this.problems = Object.fromEntries(problems);
  }
}

const plainCodes = new Map<string, PlainCode>(
  Object.entries({
    'any.required': 'required',
    'object.base': 'not_an_object',
    'object.unknown': 'unknown_field',
    'number.base': 'not_a_number',
    'number.infinity': 'not_a_number',
    'number.integer': 'not_an_integer',
    'string.base': 'not_a_string',
    'string.empty': 'empty',
    nul: 'nul',
    lone_surrogate: 'lone_surrogate',
  }),
);

const limitCodes = new Map<string, LimitCode>(
  Object.entries({
    'number.min': 'too_small',
    'number.max': 'too_large',
    'number.greater': 'not_greater',
    'number.precision': 'too_many_decimals',
    'string.max': 'too_long',
  }),
);

function problemOf({ type, context }: Joi.ValidationErrorItem): RuleProblem {
  const limitCode = limitCodes.get(type);
  if (limitCode) return { code: limitCode, parameters: { limit: Number(context?.limit) } };
  if (type === 'number.unsafe') return { code: 'too_large', parameters: { limit: Number.MAX_SAFE_INTEGER } };
  if (type === 'any.only')
    return { code: 'not_an_option', parameters: { options: context?.valids.join(', ') } };
  return { code: plainCodes.get(type) ?? 'invalid', parameters: {} };
}

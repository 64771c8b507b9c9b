import { fieldError, fieldErrorsOf, textField } from '@rewardhook/contract';
import type { FieldError } from '@rewardhook/contract';
import Joi from 'joi';
import { defaultTerms } from './program.ts';
import type { Rule, Terms } from './program.ts';
import { TermsError } from './terms-error.ts';

/** The limits of the size of a version: rules, and bytes of its JSON in UTF-8. */
const most = { rules: 1, bytes: 65_536 };

const [defaultRule] = defaultTerms.rules as [Rule];

const count = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);
const limit = count.min(1).allow(null);

/** A custom rule that reads a value, or returns what is wrong with it. */
const read =
  <T>(reader: (value: unknown) => T | FieldError): Joi.CustomValidator =>
  (value: unknown, helpers) => {
    const result = reader(value);
    return isFieldError(result) ? helpers.error(result.code, result.parameters) : result;
  };
const isFieldError = (value: unknown): value is FieldError =>
  typeof value === 'object' && value !== null && 'code' in value;

/** A field that only null, its default, is valid for so far. */
const notYet = Joi.any()
  .custom(read((value) => (value === null ? value : fieldError('not_supported_yet'))))
  .default(null);

const amount = Joi.alternatives().conditional('.kind', {
  switch: [
    { is: 'fixed', then: Joi.object({ kind: Joi.valid('fixed'), value: count.required() }) },
    {
      is: 'percent',
      then: Joi.object({
        kind: Joi.valid('percent'),
        rate: Joi.number().greater(0).max(100).precision(2).required(),
        cap: limit.default(null),
      }),
    },
  ],
  otherwise: Joi.object({ kind: Joi.valid('fixed', 'percent').required() }).unknown(),
});

const benefit = Joi.object({
  type: Joi.string().valid('points', 'coupon').required(),
  unit: textField(255).required(),
  amount: amount.required(),
  validDays: notYet,
}).allow(null);

/** A rule that gives nothing is for orders that would otherwise earn, whichever of their member they are. */
const triggerOf = ({ referee, referrer }: Rule): Rule['trigger'] =>
  referee === null && referrer === null ? 'every_order' : defaultRule.trigger;

/** The fields that a rule and the flat form have besides the benefits, which come first: the default of `trigger` depends on them. */
const conditions = {
  trigger: Joi.string().valid('first_order', 'every_order').default(triggerOf),
  minimumPaidAmount: count.default(defaultRule.minimumPaidAmount),
  windowDays: Joi.number().greater(0).max(3_650).allow(null).default(defaultRule.windowDays),
  holdDays: Joi.number().min(0).max(365).default(defaultRule.holdDays),
  earlierOrders: Joi.string().valid('count', 'ignore').default(defaultRule.earlierOrders),
};
const refunds = Joi.string().valid('adjust', 'keep').default(defaultTerms.refunds);
const referrerCap = Joi.object({ total: limit.default(null), month: limit.default(null) }).default(
  defaultTerms.limits.referrerCap,
);

const rule = Joi.object({
  id: Joi.string()
    .custom((value: string, helpers) =>
      /^[a-z][a-z0-9-]{0,39}$/.test(value) ? value : helpers.error('not_a_rule_id'),
    )
    .required(),
  name: textField(80).default((parent: Rule) => parent.id),
  referee: benefit.required(),
  referrer: benefit.required(),
  ...conditions,
  orderedFrom: notYet,
  orderedUntil: notYet,
  linkedFrom: notYet,
  linkedUntil: notYet,
  products: notYet,
  orderLabels: notYet,
  budget: notYet,
});

const budget = Joi.object({ unit: notYet, total: count.min(1).required(), month: notYet }).allow(null);

const termsSchema = Joi.object<Terms>({
  rules: Joi.array().items(rule).min(1).max(most.rules).unique('id').required(),
  limits: Joi.object({ referrerCap, budget: budget.default(null) }).default(defaultTerms.limits),
  refunds,
});

/** The flat form of terms: one rule, with the limits beside its fields. Every field has a default. */
const flatSchema = Joi.object<Required<FlatTerms>>({
  referee: benefit.default(defaultRule.referee),
  referrer: benefit.default(defaultRule.referrer),
  ...conditions,
  referrerCap,
  budget: limit.default(null),
  refunds,
});

/** Terms in the flat form, as parsed JSON. `budget` is the total of the program. */
export type FlatTerms = Partial<
  Pick<Rule, 'trigger' | 'minimumPaidAmount' | 'windowDays' | 'holdDays' | 'earlierOrders'> & {
    referee: FlatBenefit | null;
    referrer: FlatBenefit | null;
    referrerCap: Terms['limits']['referrerCap'];
    budget: number | null;
    refunds: Terms['refunds'];
  }
>;
type Benefit = NonNullable<Rule['referee']>;
type FlatBenefit = Omit<Benefit, 'validDays'> & Partial<Pick<Benefit, 'validDays'>>;

/**
 * Validates terms from parsed JSON. A value without `rules` is read in the flat form, as one rule `default`. @throws TermsError
 */
export function parseTerms(value: unknown): Terms {
  const isFlat = typeof value === 'object' && value !== null && !('rules' in value || 'limits' in value);
  return isFlat ? termsOfFlat(validate(flatSchema, value)) : ofBoundedSize(validate(termsSchema, value));
}

function validate<T>(schema: Joi.ObjectSchema<T>, value: unknown): T {
  const options = { abortEarly: false, convert: false, errors: { render: false } };
  const result = schema.required().validate(value, options);
  if (!result.error) return result.value;
  const { '': overall, ...fields } = fieldErrorsOf(result.error);
  throw new TermsError(overall ? { ...fields, terms: overall } : fields);
}

function termsOfFlat({
  referrerCap: cap,
  budget: total,
  refunds: ofRefunds,
  ...fields
}: Required<FlatTerms>): Terms {
  return {
    rules: [{ ...defaultRule, ...(fields as Partial<Rule>) }],
    limits: { referrerCap: cap, budget: total === null ? null : { unit: null, total, month: null } },
    refunds: ofRefunds,
  };
}

function ofBoundedSize(terms: Terms): Terms {
  if (new TextEncoder().encode(JSON.stringify(terms)).length > most.bytes)
    throw new TermsError({ terms: fieldError('too_many_bytes', { limit: most.bytes }) });
  return terms;
}

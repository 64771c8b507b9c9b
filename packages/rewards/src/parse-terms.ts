import { fieldError, fieldErrorsOf, parseInstant, readLabel, textField } from '@rewardhook/contract';
import type { FieldError } from '@rewardhook/contract';
import Joi from 'joi';
import { defaultTerms } from './program.ts';
import type { ProductLists, Rule, Terms } from './program.ts';
import { TermsError } from './terms-error.ts';

/** The limits of the size of a version: rules, values of a list of products or labels, values of all lists, bytes of its JSON in UTF-8. */
const most = { rules: 20, products: 200, orderLabels: 50, values: 1_000, bytes: 65_536 };

const [defaultRule] = defaultTerms.rules as [Rule];

const count = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);
const limit = count.min(1).allow(null);

/** A custom rule that reads a value, or returns what is wrong with it. */
const read =
  (reader: (value: unknown) => unknown): Joi.CustomValidator =>
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
  validDays: Joi.number().integer().min(1).max(3_650).allow(null).default(null),
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

/** A date-time, with an offset or in the time zone of the shop; stored in UTC. */
const dateTime = Joi.any()
  .custom((value: unknown, helpers) =>
    read((given) => {
      if (given === null) return null;
      if (typeof given !== 'string') return fieldError('not_a_date_time');
      return parseInstant(given, helpers.prefs.context?.['timeZone'] as string);
    })(value, helpers),
  )
  .default(null);

/** The end of a period, which is not part of it. */
const endAfter = (field: keyof Rule) =>
  dateTime.custom((end: string | null, helpers) => {
    const [rule] = helpers.state.ancestors as [Rule];
    const start = rule[field] as string | null;
    if (end === null || start === null || end > start) return end;
    return helpers.error('not_after', { field });
  });

const labels = (longest: number) =>
  Joi.array()
    .items(Joi.any().custom(read(readLabel)))
    .max(longest)
    .custom((values: string[]) => [...new Set(values)].toSorted());
const ids = Joi.array()
  .items(textField(255))
  .max(most.products)
  .custom((values: string[]) => [...new Set(values)])
  .default([]);

const productLists = Joi.object<ProductLists>({
  productIds: ids,
  productIdPrefixes: ids,
  skus: ids,
  skuPrefixes: ids,
  labels: labels(most.products).default([]),
})
  .custom((lists: ProductLists, helpers) =>
    Object.values(lists).some((values: string[]) => values.length > 0)
      ? lists
      : helpers.error('too_few_items', { limit: 1 }),
  )
  .allow(null)
  .default(null);

const products = Joi.object({ include: productLists, exclude: productLists })
  .custom((filter: Rule['products'], helpers) =>
    filter?.include || filter?.exclude
      ? filter
      : helpers.error('one_field_required', { fields: 'include, exclude' }),
  )
  .allow(null)
  .default(null);

/** Without any label it has no effect, and is stored as null. */
const orderLabels = Joi.object({
  any: labels(most.orderLabels).default([]),
  none: labels(most.orderLabels).default([]),
})
  .custom((filter: { any: string[]; none: string[] }) =>
    filter.any.length + filter.none.length > 0 ? filter : null,
  )
  .allow(null)
  .default(null);

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
  orderedFrom: dateTime,
  orderedUntil: endAfter('orderedFrom'),
  linkedFrom: dateTime,
  linkedUntil: endAfter('linkedFrom'),
  products,
  orderLabels,
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
 * Validates terms from parsed JSON. A value without `rules` is read in the flat form, as one rule `default`. Date-times without an offset
 * are in `timeZone`; without it they are refused. @throws TermsError
 */
export function parseTerms(value: unknown, timeZone?: string): Terms {
  const isFlat = typeof value === 'object' && value !== null && !('rules' in value || 'limits' in value);
  return isFlat
    ? termsOfFlat(validate(flatSchema, value, timeZone))
    : ofBoundedSize(validate(termsSchema, value, timeZone));
}

function validate<T>(schema: Joi.ObjectSchema<T>, value: unknown, timeZone: string | undefined): T {
  const options = { abortEarly: false, convert: false, errors: { render: false }, context: { timeZone } };
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
  const values = terms.rules.reduce((sum, { products: filter, orderLabels: ofOrder }) => {
    const lists = [filter?.include, filter?.exclude, ofOrder].flatMap((one) => Object.values(one ?? {}));
    return lists.reduce((total, list: string[]) => total + list.length, sum);
  }, 0);
  if (values > most.values)
    throw new TermsError({ terms: fieldError('too_many_list_values', { limit: most.values }) });
  if (new TextEncoder().encode(JSON.stringify(terms)).length > most.bytes)
    throw new TermsError({ terms: fieldError('too_many_bytes', { limit: most.bytes }) });
  return terms;
}

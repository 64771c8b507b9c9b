import Joi from 'joi';
import { defaultRule } from './program.ts';
import type { ProgramRule } from './program.ts';
import { RuleError } from './rule-error.ts';

const count = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);
const limit = count.min(1).allow(null);

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

const unit = Joi.string()
  .max(255)
  .custom((text: string, helpers) => {
    // PostgreSQL cannot store either in a text.
    if (text.includes('\0')) return helpers.error('nul');
    return /\p{Cs}/u.test(text) ? helpers.error('lone_surrogate') : text;
  });

const benefit = Joi.object({
  type: Joi.string().valid('points', 'coupon').required(),
  unit: unit.required(),
  amount: amount.required(),
}).allow(null);

const schema = Joi.object<ProgramRule>({
  trigger: Joi.string().valid('first_order', 'every_order').default(defaultRule.trigger),
  referee: benefit.default(defaultRule.referee),
  referrer: benefit.default(defaultRule.referrer),
  minimumPaidAmount: count.default(defaultRule.minimumPaidAmount),
  windowDays: Joi.number().greater(0).max(3_650).allow(null).default(null),
  holdDays: Joi.number().min(0).max(365).default(0),
  referrerCap: Joi.object({ total: limit.default(null), month: limit.default(null) }).default(
    defaultRule.referrerCap,
  ),
  budget: limit.default(null),
  refunds: Joi.string().valid('adjust', 'keep').default(defaultRule.refunds),
  earlierOrders: Joi.string().valid('count', 'ignore').default(defaultRule.earlierOrders),
});

/** Validates a reward rule from parsed JSON. Missing fields are those of the default rule. @throws RuleError */
export function parseRule(value: unknown): ProgramRule {
  const result = schema.required().validate(value, {
    abortEarly: false,
    convert: false,
    errors: { render: false },
  });
  if (!result.error) return result.value;
  throw new RuleError(result.error);
}

import Joi from 'joi';
import { textField } from '../fields/joi-fields.ts';

const amount = Joi.number()
  .integer()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .required()
  .meta({ schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } })
  .description('In units of the reward.')
  .example(3_000);
const reason = textField(1_000)
  .required()
  .description(
    'Why, for people: it is stored with the correction, and stays when a member is erased, so leave personal data out.',
  );
const exceedLimits = Joi.boolean()
  .default(false)
  .description('Whether it may exceed a cap or the budget of the program, which it counts against.');

const another = Joi.boolean()
  .default(false)
  .description('Whether it may be given beside live rewards of the role for this order.');

/** A reward that a person gives. */
export interface GrantRequest {
  role: 'referee' | 'referrer';
  type: 'points' | 'coupon';
  unit: string;
  amount: number;
  reason: string;
  exceed_limits: boolean;
  another: boolean;
}

/** The body of a grant. */
export const grantFields = Joi.object<GrantRequest>({
  role: Joi.string().valid('referee', 'referrer').required().description('Who gets it.').example('referee'),
  type: Joi.string().valid('points', 'coupon').default('points').description('What is given.'),
  unit: textField(255).default('points').description('Your name for what is counted.').example('points'),
  amount,
  reason,
  exceed_limits: exceedLimits,
  another,
});

/** Another amount that a person gives a reward. */
export interface AdjustRequest {
  amount: number;
  reason: string;
  exceed_limits: boolean;
}

/** The body of an adjustment. */
export const adjustFields = Joi.object<AdjustRequest>({ amount, reason, exceed_limits: exceedLimits });

/** The body of a revocation. */
export const revokeFields = Joi.object<{ reason: string }>({ reason });

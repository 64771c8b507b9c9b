import {
  idSchema,
  integerSchema,
  nullable,
  objectSchema,
  optionSchema,
  textSchema,
  timeSchema,
} from '../json/json-schema.ts';
import type { TypeOf } from '../json/json-schema.ts';
import { memberAnswers } from './member-answers.ts';
import { explanationSchema, orderAnswers } from './order-answers.ts';
import type { RuleNames } from './order-answers.ts';
import { memberId, role } from './shared-fields.ts';
import { rewardStates, rewardTypes } from './values.ts';
import { webhookAnswers } from './webhook-answers.ts';

/** The schemas of what the API answers with, by name, in the order in which the document has them. */
export const answerSchemas = (names: RuleNames) => ({
  Accepted: objectSchema({ accepted_count: integerSchema('Number of orders accepted.', 1) }),
  ...orderAnswers,
  Explanation: explanationSchema(names),
  Reward: objectSchema({
    id: idSchema('rwd', 'The reward.'),
    state: optionSchema(rewardStates, 'State of the reward.'),
    role,
    member_id: memberId,
    order_id: textSchema('The order that earned it.'),
    referral_id: textSchema('The referral.'),
    type: optionSchema(rewardTypes, 'The kind of the reward.'),
    amount: integerSchema('How many of `unit`.'),
    unit: textSchema('What is counted: `points`, or the name of a coupon.'),
    program_version: integerSchema('The version of the program that applied.', 1),
    created_at: timeSchema('When it was earned.'),
    confirm_due_at: nullable(timeSchema('When its hold ends.')),
    confirmed_at: nullable(timeSchema('When it was confirmed.')),
    ended_at: nullable(timeSchema('When it was revoked or cancelled.')),
    corrected: nullable(
      optionSchema(['granted', 'adjusted', 'revoked'], 'What a person did; null when only the rule decided.'),
    ),
    issued_member_id: nullable(
      textSchema('The member in its `reward.issue`, when that member was merged since; else null.'),
    ),
  }),
  ...memberAnswers,
  ...webhookAnswers,
});

/** The name of an answer. */
export type AnswerName = keyof ReturnType<typeof answerSchemas>;

/** What the API answers with, as its schema says. */
export type Answer<Name extends AnswerName> = TypeOf<ReturnType<typeof answerSchemas>[Name]>;

import {
  arraySchema,
  idSchema,
  integerSchema,
  objectSchema,
  optionSchema,
  schemaOf,
  textSchema,
} from '../json/json-schema.ts';
import { rewardRoles, reviewStates } from './values.ts';

/* Fields that several answers have. */

export const won = (description: string) => integerSchema(`${description}, in won.`);
export const uuid = (description: string) =>
  schemaOf<string>({ type: 'string', format: 'uuid', description });
export const memberId = textSchema('Your id of the member.');
export const code = textSchema('Their referral code.');
export const referrerCode = textSchema('The code of the referrer.');
export const role = optionSchema(rewardRoles, 'The side of the referral.');
export const program = objectSchema(
  { id: idSchema('prg', 'The program.'), version: integerSchema('The version of its rule.', 1) },
  { description: 'A published version of the program.' },
);
export const review = optionSchema(reviewStates, 'State of the review; `none`: the referral needs none.');
export const flags = arraySchema({
  items: schemaOf<string>({ type: 'string' }),
  description: 'What was unusual about the link, such as `code_velocity`.',
});

import Joi from 'joi';
import { textField } from '../fields/joi-fields.ts';
import { refusePlaceholder } from './placeholder-id.ts';

/** A merge of two members. */
export interface MergeMembersRequest {
  from_member_id: string;
  into_member_id: string;
  reason: string;
  dry_run: boolean;
}

/** The body of a merge. */
export const mergeFields = Joi.object<MergeMembersRequest>({
  from_member_id: textField(255)
    .required()
    .description('Your id of the member who is merged. From then on it means the other one.')
    .example('alice-old'),
  into_member_id: textField(255)
    .custom(refusePlaceholder)
    .required()
    .description('Your id of the member who survives; an unused id renames the member.')
    .example('alice'),
  reason: textField(1_000).required().description('Why, for people: it is stored with the merge.'),
  dry_run: Joi.boolean()
    .default(false)
    .description('Whether nothing is merged, and only the answer is computed.'),
});

import Joi from 'joi';
import { textField } from '../fields/joi-fields.ts';
import { refusePlaceholder } from './placeholder-id.ts';

/** The body of `POST /api/open/members/move-link/`: the referee, and their new referrer by their id or by their code. */
export interface MoveRequest {
  referee_member_id: string;
  referrer_member_id?: string;
  referral_code?: string;
  from_order_id?: string;
  reason: string;
  dry_run: boolean;
}

/** The fields of a move; one of `referrer_member_id` and `referral_code` is given. */
export const moveFields = Joi.object<MoveRequest>({
  referee_member_id: textField(255)
    .custom(refusePlaceholder)
    .required()
    .description('Your id of the member who was referred.')
    .example('bob'),
  referrer_member_id: textField(255)
    .custom(refusePlaceholder)
    .description('Your id of the member who referred. Send this or `referral_code`.')
    .example('carol'),
  referral_code: textField(500).description(
    'The referral code of the member who referred. Send this or `referrer_member_id`.',
  ),
  from_order_id: textField(255).description(
    'Your id of an order of the referee that came from the referrer: only orders from its date on count, and the ' +
      'referee counts as new. Without it, the time of the link stays.',
  ),
  reason: textField(1_000)
    .required()
    .description(
      'Why, for people: it is stored with the move, and stays when a member is erased. Write no personal data.',
    ),
  dry_run: Joi.boolean()
    .default(false)
    .description('Whether nothing is moved, and only the answer is computed.'),
});

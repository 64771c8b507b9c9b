import { fieldError } from '@rewardhook/contract';
import { ActRefused } from '@rewardhook/database';
import type { RefusalAnswers, RefusalOf } from '@rewardhook/database';
import { nameRewards } from '@rewardhook/rewards';
import { ApiError, invalidRequest } from './api-error.ts';

const invalidInto = ({ code }: RefusalOf<'placeholder_id' | 'unseen_characters'>) =>
  invalidRequest({ into_member_id: fieldError(code) });

const aboveLimit = ({ code, limit }: RefusalOf<'above_manual_limit' | 'above_own_amount'>) =>
  invalidRequest({ amount: fieldError(code, { limit }) });

const nothingFound = () => new ApiError('not_found', 'There is nothing of your shop with this id.');

const answers: RefusalAnswers<ApiError> = {
  key_reused: ({ act }) =>
    new ApiError(
      'idempotency_key_reused',
      `This Idempotency-Key was used for another ${act === 'move' ? 'move' : 'request'}. Use a new one.`,
    ),

  placeholder_member: ({ side, memberId, byCode }) => {
    const isCode = side === 'referrer' && byCode;
    const text = `${isCode ? 'is the code of' : 'means'} ${memberId}, which is a placeholder and not the id of a member`;
    return invalidRequest({ [isCode ? 'referral_code' : `${side}_member_id`]: text });
  },
  stale_code: () => unknownCode(),
  referral_cycle: () =>
    new ApiError(
      'referral_cycle',
      'The referee has referred the referrer, directly or through others. Referrals must not form a cycle.',
    ),

  not_linked: () =>
    new ApiError(
      'not_found',
      'The referee has no referrer. Link them, or send the order that came from the referrer as from_order_id.',
    ),
  order_not_of_referee: () => invalidRequest({ from_order_id: 'is not an order of the referee' }),
  same_member: () => invalidRequest({ referee_member_id: 'must differ from the referrer' }),
  link_unchanged: () => invalidRequest({ referrer_member_id: 'is already the referrer of the referee' }),
  linked_member_erased: () => new ApiError('member_not_linked', 'The referee or the referrer was erased.'),

  merged_member_unknown: () =>
    new ApiError('not_found', 'Your shop has no member and no order with from_member_id.'),
  one_member: () => invalidRequest({ into_member_id: 'means the same member as from_member_id' }),
  already_merged: ({ memberId }) =>
    invalidRequest({ from_member_id: `was merged before: it means ${memberId}` }),
  merged_member_erased: () =>
    invalidRequest({ from_member_id: 'or into_member_id is that of an erased member' }),
  placeholder_id: invalidInto,
  unseen_characters: invalidInto,
  orders_due: ({ orderIds }) =>
    new ApiError(
      'orders_due',
      `Orders of the members wait for their evaluation (${orderIds.join(', ')}). Send the request again in a moment.`,
    ),
  merge_too_large: ({ most, what }) =>
    invalidRequest({
      from_member_id: `has more than ${most.toLocaleString('en')} ${what}: merge in the other direction, or ask us`,
    }),

  not_found: nothingFound,
  above_manual_limit: aboveLimit,
  above_own_amount: aboveLimit,
  amount_unchanged: () => invalidRequest({ amount: 'is the amount that the reward has' }),
  member_not_linked: () =>
    new ApiError('member_not_linked', 'The member of the order has no referrer. Link them first.'),
  member_erased: () => new ApiError('member_not_linked', 'The member who would get the reward was erased.'),
  reward_exists: ({ rewards }) =>
    new ApiError(
      'reward_exists',
      `The order has live rewards of this role: ${nameRewards(rewards)}. Send "another": true to give one all the same.`,
    ),
  reward_ended: () => new ApiError('reward_ended', 'The reward was revoked or cancelled before.'),
  limit_exceeded: ({ check }) =>
    new ApiError(
      'limit_exceeded',
      `The reward exceeds ${limitName(check.check)} of the program, of which ${String(check.threshold)} is the limit. ` +
        `Send "exceed_limits": true to give it all the same.`,
    ),
  revocation_not_notified: ({ webhookId, rewardId }) =>
    new ApiError(
      'revocation_not_notified',
      `Webhook ${webhookId} was sent the reward.issue of ${rewardId} and is not sent its reward.revoke: it would grant ` +
        `twice. Register it for reward.revoke, or delete it.`,
    ),

  // The API has no route for reviews.
  referral_unknown: nothingFound,
  referral_not_reviewable: () => invalidRequest({ referral_id: 'needs no review' }),
};

const limitName = (check: string): string =>
  check === 'budget' ? 'what is left of the budget' : 'the cap of the referrer';

/** 400: no member has the referral code. */
export function unknownCode(): ApiError {
  return invalidRequest({ referral_code: 'is not the code of a member' });
}

/** Throws the answer to an act that is refused, and any other error as it is. */
export function refuseAct(error: unknown): never {
  throw error instanceof ActRefused ? error.answerFrom(answers) : error;
}

import { describeFieldError, fieldError } from '@rewardhook/contract';
import { ActRefused } from '@rewardhook/database';
import type { RefusalAnswers, RefusalOf } from '@rewardhook/database';
import { nameRewards } from '@rewardhook/rewards';
import { CommandFailed, UsageError } from './command.ts';

const invalidInto = ({ code }: RefusalOf<'placeholder_id' | 'unseen_characters'>) =>
  `--into ${describeFieldError(fieldError(code))}.`;

const aboveLimit = ({ code, limit }: RefusalOf<'above_manual_limit' | 'above_own_amount'>) =>
  `--amount ${describeFieldError(fieldError(code, { limit }))}. "merchant update --manual-reward-limit" changes the limit.`;

const answers: RefusalAnswers<string> = {
  key_reused: ({ act }) => `This --key was used for another ${act}.`,

  placeholder_member: ({ side, memberId }) =>
    `The ${side} is ${memberId}, which is a placeholder and not the id of a member.`,
  stale_code: () => 'The code is no longer that of the referrer.',
  referral_cycle: ({ refereeMemberId, referrerMemberId }) =>
    `${refereeMemberId} has referred ${referrerMemberId}, directly or through others: referrals must not form a cycle.`,

  not_linked: () =>
    'The referee has no referrer. Link them with "member link", or name an order with --from-order.',
  order_not_of_referee: () => 'The referee has no such order.',
  same_member: () => 'A member cannot refer themselves.',
  link_unchanged: () => 'The referee has this referrer.',
  linked_member_erased: () => 'The referee or the referrer was erased.',

  merged_member_unknown: () => 'The merchant has no member and no order with the id --from.',
  one_member: () => '--from and --into mean the same member.',
  already_merged: ({ memberId }) => `--from was merged before: it means ${memberId}.`,
  merged_member_erased: () => 'An erased member cannot be merged.',
  placeholder_id: invalidInto,
  unseen_characters: invalidInto,
  orders_due: ({ orderIds }) =>
    `Orders of the members are due for evaluation (${orderIds.join(', ')}): try again in a moment.`,
  merge_too_large: ({ most, what }) =>
    `The member --from has more than ${most} ${what}. Merge in the other direction.`,

  not_found: () => 'The merchant has no such order or reward.',
  above_manual_limit: aboveLimit,
  above_own_amount: aboveLimit,
  amount_unchanged: () => 'The reward has this amount.',
  member_not_linked: () => 'The member of the order has no referrer. Link them first with "member link".',
  member_erased: () => 'The member who would get the reward was erased.',
  reward_exists: ({ rewards }) =>
    `The order has live rewards of this role: ${nameRewards(rewards)}. --another gives one all the same.`,
  reward_ended: () => 'The reward was revoked or cancelled before.',
  limit_exceeded: ({ check }) =>
    `The reward exceeds ${check.check} (${String(check.threshold)}) of the program. --exceed-limits gives it all the same.`,
  revocation_not_notified: ({ webhookId, rewardId }) =>
    `Webhook ${webhookId} was sent the reward.issue of ${rewardId} and is not sent its reward.revoke: it would grant twice.`,

  referral_unknown: ({ merchantId, referralId }) => `Merchant ${merchantId} has no referral ${referralId}.`,
  referral_not_reviewable: ({ referralId, review, reviewedBy }) =>
    review === 'none'
      ? `The referral ${referralId} needs no review.`
      : `The referral ${referralId} was already ${review} by ${reviewedBy}.`,
};

/** Throws what the command line says about an act that is refused, and any other error as it is. */
export function refuseAct(error: unknown): never {
  throw error instanceof ActRefused ? new CommandFailed(error.answerFrom(answers)) : error;
}

/** The same where the exit code is that of wrong options. */
export function refuseOptions(error: unknown): never {
  throw error instanceof ActRefused ? new UsageError(error.answerFrom(answers)) : error;
}

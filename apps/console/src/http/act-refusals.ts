import { ActRefused } from '@rewardhook/database';
import type { RefusalAnswers, RefusalOf } from '@rewardhook/database';
import { mostNamed } from '@rewardhook/rewards';
import type { NamedReward } from '@rewardhook/rewards';
import type { ConsoleError } from './console-error.ts';
import { invalidField, notFound, refuse } from './console-error.ts';

const invalidInto = ({ code }: RefusalOf<'placeholder_id' | 'unseen_characters'>) =>
  invalidField('into_member_id', code);

const aboveLimit = ({ code, limit }: RefusalOf<'above_manual_limit' | 'above_own_amount'>) =>
  invalidField('amount', code, { limit });

const answers: RefusalAnswers<ConsoleError> = {
  key_reused: () => refuse('key_reused'),

  placeholder_member: ({ memberId }) => refuse('not_a_member', { member: memberId }),
  stale_code: () => refuse('referrer_unknown'),
  referral_cycle: () => refuse('referral_cycle'),

  not_linked: notFound,
  order_not_of_referee: () => refuse('order_not_of_referee'),
  same_member: () => refuse('same_member'),
  link_unchanged: () => refuse('link_unchanged'),
  linked_member_erased: () => refuse('member_erased'),

  merged_member_unknown: notFound,
  one_member: () => refuse('one_member'),
  already_merged: ({ memberId }) => refuse('already_merged', { member: memberId }),
  merged_member_erased: () => refuse('member_erased'),
  placeholder_id: invalidInto,
  unseen_characters: invalidInto,
  orders_due: () => refuse('orders_due'),
  merge_too_large: ({ most }) => refuse('merge_too_large', { limit: most }),

  not_found: notFound,
  above_manual_limit: aboveLimit,
  above_own_amount: aboveLimit,
  amount_unchanged: () => refuse('amount_unchanged'),
  member_not_linked: () => refuse('member_not_linked'),
  member_erased: () => refuse('member_erased'),
  reward_exists: ({ rewards }) =>
    refuse('reward_exists', {
      rewards: rewards.slice(0, mostNamed),
      count: rewards.length,
      sums: sumByUnit(rewards),
    }),
  reward_ended: () => refuse('reward_ended'),
  limit_exceeded: ({ check }) =>
    refuse(check.check === 'budget' ? 'budget_exceeded' : 'referrer_cap_exceeded', {
      limit: Number(check.threshold),
    }),
  revocation_not_notified: ({ webhookId }) => refuse('revocation_not_notified', { webhook: webhookId }),

  referral_unknown: notFound,
  referral_not_reviewable: () => refuse('referral_not_reviewable'),
};

/** What rewards have together, by their unit. */
function sumByUnit(rewards: NamedReward[]): { unit: string; amount: number }[] {
  const sums = new Map<string, number>();
  for (const { unit, amount } of rewards) sums.set(unit, (sums.get(unit) ?? 0) + amount);
  return [...sums].map(([unit, amount]) => ({ unit, amount }));
}

/** Throws the answer to an act that is refused, and any other error as it is. */
export function refuseAct(error: unknown): never {
  throw error instanceof ActRefused ? error.answerFrom(answers) : error;
}

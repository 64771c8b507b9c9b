import { ActRefused } from '@rewardhook/database';
import type { RefusalAnswers, RefusalOf } from '@rewardhook/database';
import { mostNamed } from '@rewardhook/rewards';
import type { NamedReward } from '@rewardhook/rewards';
import type { ConsoleError } from './console-error.ts';
import { invalidField, notFound, refuse } from './console-error.ts';
import type { PlainRejectionCode } from './rejections.ts';

const invalidInto = ({ code }: RefusalOf<'placeholder_id' | 'unseen_characters'>) =>
  invalidField('into_member_id', code);

const aboveLimit = ({ code, limit }: RefusalOf<'above_manual_limit' | 'above_own_amount'>) =>
  invalidField('amount', code, { limit });

/** Refusals that the console gives as reasons of the same name, without parameters. */
type SameName = keyof RefusalAnswers<unknown> & PlainRejectionCode;

const answers: Omit<RefusalAnswers<ConsoleError>, SameName> = {
  placeholder_member: ({ memberId }) => refuse('not_a_member', { member: memberId }),
  stale_code: () => refuse('referrer_unknown'),

  not_linked: notFound,
  linked_member_erased: () => refuse('member_erased'),

  merged_member_unknown: notFound,
  already_merged: ({ memberId }) => refuse('already_merged', { member: memberId }),
  merged_member_erased: () => refuse('member_erased'),
  placeholder_id: invalidInto,
  unseen_characters: invalidInto,
  merge_too_large: ({ most }) => refuse('merge_too_large', { limit: most }),

  above_manual_limit: aboveLimit,
  above_own_amount: aboveLimit,
  reward_exists: ({ rewards }) =>
    refuse('reward_exists', {
      rewards: rewards.slice(0, mostNamed),
      count: rewards.length,
      sums: sumByUnit(rewards),
    }),
  limit_exceeded: ({ check }) =>
    refuse(check.check === 'budget' ? 'budget_exceeded' : 'referrer_cap_exceeded', {
      limit: Number(check.threshold),
    }),
  revocation_not_notified: ({ webhookId }) => refuse('revocation_not_notified', { webhook: webhookId }),

  referral_unknown: notFound,
};

/** What rewards have together, by their unit. */
function sumByUnit(rewards: NamedReward[]): { unit: string; amount: number }[] {
  const sums = new Map<string, number>();
  for (const { unit, amount } of rewards) sums.set(unit, (sums.get(unit) ?? 0) + amount);
  return [...sums].map(([unit, amount]) => ({ unit, amount }));
}

/** Throws the answer to an act that is refused, and any other error as it is. */
export function refuseAct(error: unknown): never {
  if (!(error instanceof ActRefused)) throw error;
  const { code } = error.refusal;
  // The compiler does not see that a code without an entry is one of the same name.
  throw code in answers
    ? error.answerFrom(answers as RefusalAnswers<ConsoleError>)
    : refuse(code as SameName);
}

import type { ProgramUsage } from '@rewardhook/database';
import type { Given, RewardDraft } from '@rewardhook/rewards';

/** Keeps count of what the program has given, over the judgements of one batch. */
export interface Ledger {
  givenTo(referrerMemberId: string | undefined, month: string | null): Given;
  add(draft: RewardDraft, month: string | null): void;
}

/** Opens the ledger with what stands in the database. What is taken back in the batch frees nothing yet. */
export function openLedger(use: ProgramUsage): Ledger {
  let { spent } = use;
  return {
    givenTo(referrerMemberId, month) {
      const referrer = use.byReferrer.get(referrerMemberId ?? '');
      return {
        referrerTotal: referrer?.total ?? 0,
        referrerMonth: referrer?.months.get(month ?? '') ?? 0,
        spent,
      };
    },
    add({ role, memberId, amount }, month) {
      spent += amount;
      if (role !== 'referrer') return;
      const referrer = use.byReferrer.get(memberId) ?? { total: 0, months: new Map<string, number>() };
      referrer.total += 1;
      referrer.months.set(month ?? '', (referrer.months.get(month ?? '') ?? 0) + 1);
      use.byReferrer.set(memberId, referrer);
    },
  };
}

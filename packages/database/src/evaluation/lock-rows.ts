import type { Program, StoredReferral } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { lockOrderStates } from './order-states.ts';
import type { StoredOrder } from './order-states.ts';
import { lockProgramUsage } from './program-usage.ts';
import { findProgram } from './program-versions.ts';
import { lockReferralStates } from './referral-states.ts';

/** What an evaluation or a correction has locked, and the program that is in force. */
export interface LockedRows {
  /** By referee. */
  referrals: Map<string, StoredReferral>;
  program: Program;
  /** The sum of the live rewards, if the program has a budget. */
  spent: number;
  /** Oldest first. */
  orders: StoredOrder[];
}

/**
 * Locks the referrals of members, what counts against the limits of the program, and orders, in this order (locks.ts). The program
 * is read with the referrals locked: a later evaluation of a referee does not use an earlier version. Returns undefined when the
 * merchant has no program.
 */
export async function lockRows(
  tx: Queryable,
  merchantId: string,
  { memberIds, orderIds }: { memberIds: string[]; orderIds: string[] },
): Promise<LockedRows | undefined> {
  const [referrals, program] = await Promise.all([
    lockReferralStates(tx, merchantId, memberIds),
    findProgram(tx, merchantId),
  ]);
  if (!program) return undefined;
  const spent = await lockProgramUsage(tx, merchantId, program, [...referrals.values()].flatMap(referrersOf));
  const orders = await lockOrderStates(tx, merchantId, orderIds);
  return { referrals, program, spent, orders };
}

/** The referrers of a referral: of the link in force, and of the one that waits. */
function referrersOf({ referrerMemberId, other }: StoredReferral): string[] {
  return other ? [referrerMemberId, other.referrerMemberId] : [referrerMemberId];
}

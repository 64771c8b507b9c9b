import { checks, type CheckId } from './checks.ts';
import { found } from './classify.ts';
import type { CheckResult } from './report.ts';

/** Returns how often the reward is granted at this moment: grants minus reversals. Rejects when it cannot be read. */
export type CountGrants = (rewardId: string, memberId: string) => Promise<number>;

/** The reward of a check, and how many grants of it must remain in the end. */
export type SentReward = { check: CheckId; id: string; expected: number };

/** Receivers that store events and grant them afterwards get this time. */
const settleMs = 5_000;
const pollMs = 250;

/**
 * Counts the grants of each reward and adds them to the results. A difference changes a result to `failed`. Rewards that
 * are marked as tests must not be granted: one that is granted once is a warning. Returns the counts by reward.
 */
export async function compareGrants(
  results: CheckResult[],
  rewards: readonly SentReward[],
  { countGrants, memberId, asLive }: { countGrants: CountGrants; memberId: string; asLive: boolean },
): Promise<Map<string, number>> {
  const counted = new Map<string, number>();
  const deadline = performance.now() + settleMs;
  for (const { check, id, expected: ofLive } of rewards) {
    const result = results.find((one) => one.check === check);
    if (!result) continue;
    const expected = asLive ? ofLive : 0;
    try {
      let observed = await countGrants(id, memberId);
      while (observed !== expected && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        observed = await countGrants(id, memberId);
      }
      counted.set(id, observed);
      // Of several rewards, the first one that differs is shown.
      if (result.grants && result.grants.observed !== result.grants.expected) continue;
      result.grants = { reward_id: id, expected, observed };
      if (observed !== expected) Object.assign(result, differenceOf(result, ofLive, asLive));
    } catch (error) {
      if (result.status === 'passed') {
        const { message } = error as Error;
        Object.assign(result, { status: 'warning', finding: found('grants_unreadable', { message }) });
      }
    }
  }
  return counted;
}

function differenceOf({ status, check, grants }: CheckResult, ofLive: number, asLive: boolean) {
  const { expected = 0, observed = 0 } = grants ?? {};
  const isForged = checks[check as CheckId].group === 'forged';
  // A receiver that handles test events like others: right, but for the mark.
  if (!asLive && !isForged && observed === ofLive) {
    return status === 'passed' ? { status: 'warning' as const, finding: found('test_granted') } : {};
  }
  // What the answer showed is the first thing to fix.
  return status === 'failed'
    ? {}
    : { status: 'failed' as const, finding: found('granted', { expected, observed }) };
}

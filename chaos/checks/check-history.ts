import type { History } from '../ledger/read-history.ts';
import type { Check, Violation } from './check.ts';
import { issuedOnce, noEventBeforeItsCause } from './events.ts';
import { deliveredInTheEnd, inFlightLimit, sameBytes, sentOnce, signatures } from './deliveries.ts';
import { feedReaders } from './feed.ts';
import {
  erasedIdsGone,
  erasedIdsUsable,
  everyOrderEvaluated,
  linksAsAsked,
  rewardsFollowLinks,
} from './members.ts';
import { oneNoticeADay } from './notices.ts';
import { doctorClean, noUnexpectedExits, workDone } from './operations.ts';
import { latestState, nothingRefused, ordersStored, completeRequests } from './orders.ts';
import { nothingSentWhilePaused, timesShown } from './pauses.ts';
import { correctedOnce, limitsFull, limitsHeld, oneLiveReward, rewardDue } from './rewards.ts';
import { shopsIsolated, smallShopNotDelayed } from './tenants.ts';

/** All checks, in the order of the report. */
export const checks: readonly Check[] = [
  ordersStored,
  latestState,
  nothingRefused,
  completeRequests,
  everyOrderEvaluated,
  linksAsAsked,
  rewardsFollowLinks,
  rewardDue,
  oneLiveReward,
  limitsHeld,
  limitsFull,
  correctedOnce,
  issuedOnce,
  noEventBeforeItsCause,
  feedReaders,
  erasedIdsGone,
  erasedIdsUsable,
  shopsIsolated,
  smallShopNotDelayed,
  signatures,
  sameBytes,
  deliveredInTheEnd,
  nothingSentWhilePaused,
  timesShown,
  sentOnce,
  inFlightLimit,
  oneNoticeADay,
  workDone,
  doctorClean,
  noUnexpectedExits,
];

/** The result of one check. */
export interface Finding {
  check: string;
  count: number;
  leftOut?: number;
  violations: Violation[];
}

/** What became of a run. It passes when `failed` is empty. */
export interface Findings {
  history: History;
  findings: Finding[];
  /** Names of checks that failed, and of scenarios whose situation was not reached. */
  failed: string[];
}

/** Runs all checks on what happened, those that scenarios made while they ran among them. */
export function checkHistory(history: History): Findings {
  const findings = checks.map(({ name, check }): Finding => {
    try {
      return { check: name, ...check(history) };
    } catch (error) {
      // The others still say what they have found.
      return {
        check: name,
        count: 0,
        violations: [{ text: `could not be checked: ${(error as Error).stack}` }],
      };
    }
  });
  const names = new Set([...history.checked, ...history.violations].map(({ check }) => check));
  for (const name of names) {
    const count = history.checked
      .filter(({ check }) => check === name)
      .reduce((sum, one) => sum + one.count, 0);
    findings.push({
      check: name,
      count,
      violations: history.violations.filter(({ check }) => check === name),
    });
  }
  const reached = new Set(history.situations.map(({ scenario }) => scenario));
  const started = new Set(history.started.map(({ scenario }) => scenario));
  const notReached = [...started].filter((name) => !reached.has(name));
  const failed = [
    ...findings.filter(({ violations }) => violations.length > 0).map(({ check }) => check),
    ...notReached.map((name) => `${name}: its situation was not reached`),
  ];
  return { history, findings, failed };
}

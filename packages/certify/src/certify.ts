import { checkRunners, type CheckOutcome } from './check-runners.ts';
import { checks, type CheckId } from './checks.ts';
import { compareGrants, type CountGrants, type SentReward } from './compare-grants.ts';
import { openPoster, type Poster, type PosterOptions } from './post.ts';
import type { CertifyReport, CheckResult, CheckStatus, ReportOutcome } from './report.ts';
import { unseen } from './unseen.ts';

/** What is checked, and how. */
export type CertifyOptions = PosterOptions & {
  /** For the report; requests go where `send` sends them. */
  url: string;
  /** Sends events without `"test": true`, so that the receiver grants them. Default false. */
  asLive?: boolean;
  /** The member of the events. Default `certify-member`. */
  memberId?: string;
  /** Reads how often the receiver has granted a reward. Without it, grants are not observed. */
  countGrants?: CountGrants | undefined;
  /** After this time the requests in progress are ended, and the remaining checks are not run. Default: 60 s. */
  timeLimitMs?: number;
  /** Called after each check, with its result before grants are counted. */
  onCheck?: (result: CheckResult, number: number, total: number) => void;
};

/** The number of requests that may run into the time limit before the remaining checks are given up. */
const maxTimeouts = 2;

const defaultTimeLimitMs = 60_000;

/** After this number of slow answers, checks that do not depend on one another run at the same time. */
const maxSlowAnswers = 2;
const parallelChecks = 8;

/** Needs a connection that no other check uses. */
const aloneAtTheEnd: CheckId = 'keep_alive';

/**
 * Sends a receiver genuine, forged, repeated and unusual webhooks, and reports what it did. Takes about five seconds with
 * a receiver that answers at once. If the first, genuine webhook is refused, nothing else is sent: refusing forged ones
 * would then prove nothing. Rejects only when a callback throws.
 */
export async function certify(options: CertifyOptions): Promise<CertifyReport> {
  const { url, asLive = false, memberId = 'certify-member', countGrants, onCheck } = options;
  const { timeLimitMs = defaultTimeLimitMs } = options;
  const startedAt = new Date();
  const started = performance.now();
  const signal = AbortSignal.timeout(timeLimitMs);
  const poster = openPoster(options, signal);
  const timeIsUp = { code: 'time_is_up', parameters: { seconds: timeLimitMs / 1_000 } };
  const sample = { asLive, memberId };
  const ids = Object.keys(checks) as CheckId[];
  const finished = new Map<CheckId, CheckResult>();
  const rewards: SentReward[] = [];

  const run = async (id: CheckId): Promise<void> => {
    const reason = reasonNotToRun(finished.get('valid'), poster.timeouts());
    let outcome: CheckOutcome;
    if (reason) outcome = { status: 'not_run', finding: { code: reason, parameters: {} }, steps: [] };
    else if (signal.aborted) outcome = { status: 'not_run', finding: timeIsUp, steps: [] };
    else {
      outcome = await checkRunners[id]({ ...poster, sample, signing: options.signing });
      // What was ended here says nothing about the receiver.
      if (outcome.steps.some(({ error }) => error?.startsWith('aborted:')))
        outcome = { ...outcome, status: 'not_run', finding: timeIsUp };
    }
    const { rewards: sent = [], ...result } = outcome;
    const checked: CheckResult = { check: id, ...result, grants: null };
    finished.set(id, checked);
    rewards.push(...sent.map((reward) => ({ check: id, ...reward })));
    onCheck?.(checked, finished.size, ids.length);
  };
  const waiting = [...ids];
  const runUntil = async (isOver: () => boolean): Promise<void> => {
    for (let id = waiting[0]; id && id !== aloneAtTheEnd && !isOver(); id = waiting[0]) {
      waiting.shift();
      await run(id);
    }
  };
  await runUntil(() => poster.slowAnswers() >= maxSlowAnswers);
  await Promise.all(Array.from({ length: parallelChecks }, () => runUntil(() => false)));
  await run(aloneAtTheEnd);
  const results = ids.map((id) => finished.get(id) as CheckResult);

  const counted = countGrants
    ? await compareGrants(results, rewards, { countGrants, ...sample })
    : new Map<string, number>();
  // Without the time limit: granted rewards are taken back in any case.
  if (asLive) await takeBack(results, rewards, counted, openPoster(options), sample);

  const counts: Record<CheckStatus, number> = { passed: 0, warning: 0, failed: 0, not_run: 0 };
  for (const { status } of results) counts[status] += 1;
  const grantsObserved = countGrants !== undefined && rewards.every(({ id }) => counted.has(id));
  return {
    url,
    outcome: outcomeOf(counts, grantsObserved && asLive),
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(performance.now() - started),
    marked_as_tests: !asLive,
    grants_observed: grantsObserved,
    cannot_be_seen: Object.keys(unseen),
    counts,
    checks: results,
  };
}

function outcomeOf(counts: Record<CheckStatus, number>, isGrantedObserved: boolean): ReportOutcome {
  if (counts.failed > 0) return 'failed';
  if (!isGrantedObserved || counts.not_run > 0) return 'not_observed';
  return counts.warning > 0 ? 'warnings' : 'passed';
}

function reasonNotToRun(first: CheckResult | undefined, timeouts: number): string | undefined {
  if (first?.status === 'failed') return 'genuine_refused';
  return timeouts >= maxTimeouts ? 'not_answering' : undefined;
}

/** Revokes the rewards that the checks had granted, so that the member keeps no points of them. */
async function takeBack(
  results: readonly CheckResult[],
  rewards: readonly SentReward[],
  grants: ReadonlyMap<string, number>,
  poster: Poster,
  sample: { asLive: boolean; memberId: string },
): Promise<void> {
  for (const { check, id, expected } of rewards) {
    const steps = results.find((one) => one.check === check)?.steps ?? [];
    const accepted = steps.some(({ status }) => status !== null && status >= 200 && status < 300);
    const observed = grants.get(id);
    const granted = observed === undefined ? expected > 0 && accepted : observed > 0;
    if (granted) await poster.postReward('reward.revoke', id, sample);
  }
}

import type { AttemptRecord } from '@rewardhook/database';
import { nextDelayMs } from '@rewardhook/webhook';
import type { AttemptResult } from '@rewardhook/webhook';

/** What an attempt means for its delivery and its endpoint. */
export interface ClassifiedAttempt {
  row: AttemptRecord;
  /** The receiver asked for silence for so many seconds. */
  pauseSeconds?: number;
  /** The receiver said that it is gone for good (410). */
  gone: boolean;
  /** What the endpoint's health learns of it; a cut by our own end says nothing. */
  verdict: 'success' | 'failure' | 'none';
  /** Whether it says that the receiver has too much to do. */
  overloaded: boolean;
  /** Whether it went over a connection that was there; undefined when nothing was sent. */
  connectionReused: boolean | undefined;
}

export interface AttemptFacts {
  deliveryId: string;
  merchantId: string;
  leaseExpiresAt: string;
  url: string;
  startedAt: Date;
  /** Attempts made before in this run through the schedule. */
  scheduleStep: number;
  /** A probe of an open breaker uses up no retry. */
  probe: boolean;
  /** Hours over which the endpoint wants its deliveries retried; null follows the schedule. */
  retryHours: number | null;
  outcome: AttemptResult;
}

const hourMs = 3_600_000;

/**
 * Judges an attempt: 2xx is success and nothing else is. A failed delivery gets the next time of the schedule,
 * or is given up when there is none.
 */
export function classifyAttempt(facts: AttemptFacts): ClassifiedAttempt {
  const { outcome, scheduleStep } = facts;
  const delivered = outcome.result === 'response' && outcome.status >= 200 && outcome.status < 300;
  // Our own end is no failure of the receiver: the delivery is due again at once and uses up no retry.
  const aborted = outcome.result === 'error' && outcome.errorClass === 'aborted';
  const retryAfterSeconds = delivered ? undefined : outcome.retryAfterSeconds;
  const delayMs = delivered
    ? undefined
    : aborted
      ? 0
      : facts.probe
        ? 0
        : nextDelayMs({
            attemptsMade: scheduleStep + 1,
            retryAfterSeconds,
            horizonMs: facts.retryHours === null ? undefined : facts.retryHours * hourMs,
          });
  const row: AttemptRecord = {
    deliveryId: facts.deliveryId,
    merchantId: facts.merchantId,
    leaseExpiresAt: facts.leaseExpiresAt,
    startedAt: facts.startedAt.toISOString(),
    url: facts.url,
    status: outcome.status ?? null,
    errorClass: outcome.result === 'error' ? outcome.errorClass : null,
    errorMessage: outcome.result === 'error' ? outcome.message : null,
    timings: outcome.timings,
    responseBody: outcome.responseBody ?? null,
    requestHeaders: outcome.requestHeaders ?? null,
    advancesSchedule: !aborted && !(facts.probe && !delivered),
    state: delivered ? 'delivered' : delayMs === undefined ? 'exhausted' : 'pending',
    retryInSeconds: delayMs === undefined ? null : delayMs / 1_000,
  };
  return {
    row,
    gone: outcome.status === 410,
    verdict: delivered ? 'success' : aborted ? 'none' : 'failure',
    connectionReused: outcome.requestHeaders && outcome.connectionReused,
    overloaded: !delivered && isOverload(outcome),
    ...(retryAfterSeconds === undefined ? {} : { pauseSeconds: retryAfterSeconds }),
  };
}

const overloadStatuses = new Set([429, 502, 503, 504]);

function isOverload(outcome: AttemptResult): boolean {
  if (outcome.result === 'response') return overloadStatuses.has(outcome.status);
  return ['timeout', 'reset', 'connect'].includes(outcome.errorClass);
}

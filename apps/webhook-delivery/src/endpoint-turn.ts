import type { EndpointHealth, SendableEndpoint } from '@rewardhook/database';
import type { ClassifiedAttempt } from './classify-attempt.ts';
import { afterFailure, afterSuccess, widenDrain } from './endpoint-health.ts';
import type { HealthVerdict } from './endpoint-health.ts';
import { openInFlightLimit } from './in-flight-limit.ts';

/** After so long an endpoint goes back to the end of the queue, so that others get their turn where slots are short. */
const turnMs = 10_000;
/** A drain goes out in portions, one in this time. */
const drainPortionMs = 1_000;

/** What is to be stored of a turn. */
export interface TurnResult {
  /** Undefined when nothing changed. */
  health: EndpointHealth | undefined;
  /** For how long the endpoint is to be left alone; null for not at all. */
  backoffSeconds: number | null;
  /** The stages that it went through, in order. */
  stages: NonNullable<HealthVerdict['stage']>[];
  /** The receiver said that it is gone for good. */
  gone: boolean;
  /** What came of the last attempt that failed, in a few words. */
  lastFailure: string;
  /** Whether an endpoint that never answered with 2xx has failed again: its host is rate limited. */
  newFailed: boolean;
  /** Whether there may be more to send right away. */
  goOn: boolean;
}

/** One turn of serving an endpoint: how much of it may be sent, and what is learned of its health. */
export interface EndpointTurn {
  /** Whether the turn is a single probe of an open breaker. */
  probe: boolean;
  limit(): number;
  open(): boolean;
  /** How many of so many may be taken. */
  allow(count: number): number;
  learn(verdict: ClassifiedAttempt, request: { startedAt: number; inFlight: number }): void;
  /** Ends it early: the endpoint is not the one any more that the turn began with. */
  stop(): void;
  result(): TurnResult;
}

/**
 * Begins a turn. `most` bounds the requests in flight. A new endpoint, which never answered with 2xx, gets one request in
 * `newEndpointSeconds`; 0 is no limit.
 */
export function openTurn(
  endpoint: SendableEndpoint,
  { most, newEndpointSeconds, ending }: { most: number; newEndpointSeconds: number; ending: AbortSignal },
): EndpointTurn {
  const began = performance.now();
  const before = endpoint.health;
  const probe = before.breakerOpenedAt !== null;
  // A retry that somebody asked for is one request beside the schedule of probes and the rate of a drain.
  const { manualRetriesOnly } = endpoint;
  const isNew = before.firstSuccessAt === null && newEndpointSeconds > 0;
  const inFlight = openInFlightLimit(before.inFlightLimit, most);
  const stages: TurnResult['stages'] = [];
  let health = before;
  let allowance = probe || manualRetriesOnly || isNew ? 1 : (before.rampPerSecond ?? Infinity);
  let backoffSeconds: number | null = null;
  let gone = false;
  let failed = false;
  let stoppedEarly = false;
  let lastFailure = '';

  const beSilent = (seconds: number) => (backoffSeconds = Math.max(backoffSeconds ?? 0, seconds));
  const succeededFirst = () => isNew && health.firstSuccessAt !== null;
  const stopped = () =>
    backoffSeconds !== null ||
    gone ||
    stages.length > 0 ||
    stoppedEarly ||
    succeededFirst() ||
    ending.aborted;
  // A portion that was used up is followed by a wider one, after a while; otherwise nothing is left to drain.
  const endPortion = () => {
    if (probe || manualRetriesOnly || isNew || before.rampPerSecond === null || stopped()) return;
    if (allowance > 0) health = { ...health, rampPerSecond: null };
    else if (!failed) health = widenDrain(health);
    if (allowance === 0) beSilent(Math.max(0, drainPortionMs - (performance.now() - began)) / 1_000);
  };
  return {
    probe,
    limit: inFlight.value,
    open: () => !stopped() && performance.now() - began < turnMs,
    allow(count) {
      const allowed = Math.min(count, allowance);
      allowance -= allowed;
      return allowed;
    },
    learn(attempt, { startedAt, inFlight: together }) {
      if (attempt.verdict === 'none') return;
      const delivered = attempt.verdict === 'success';
      const milliseconds = performance.now() - startedAt;
      inFlight.learn({
        delivered,
        overloaded: attempt.overloaded,
        milliseconds,
        inFlight: together,
        startedAt,
      });
      const next = delivered
        ? afterSuccess(health)
        : afterFailure(health, new Date(), { probe: probe && !manualRetriesOnly });
      failed ||= !delivered;
      if (!delivered) lastFailure = describeFailure(attempt.row);
      health = next.health;
      if (next.stage) stages.push(next.stage);
      if (next.probeInSeconds !== undefined) beSilent(next.probeInSeconds);
      if (attempt.pauseSeconds !== undefined) beSilent(attempt.pauseSeconds);
      gone ||= attempt.gone;
    },
    stop() {
      stoppedEarly = true;
    },
    result() {
      endPortion();
      const after = { ...health, inFlightLimit: inFlight.value() };
      const changed = JSON.stringify(after) !== JSON.stringify(before);
      const timeIsUp = performance.now() - began >= turnMs;
      const more = timeIsUp || stages.includes('closed') || stoppedEarly || succeededFirst();
      const goOn = backoffSeconds === null && !gone && more && !ending.aborted;
      const newFailed = isNew && failed && !manualRetriesOnly && health.breakerOpenedAt === null;
      return {
        health: changed ? after : undefined,
        backoffSeconds,
        stages,
        gone,
        lastFailure,
        newFailed,
        goOn,
      };
    },
  };
}

function describeFailure({ status, errorClass, errorMessage }: ClassifiedAttempt['row']): string {
  return errorClass === null ? `it answered ${status}` : `${errorClass}: ${errorMessage}`;
}

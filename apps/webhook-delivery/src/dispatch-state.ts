import type { AttemptRecord, EndpointHealth, SendableEndpoint } from '@rewardhook/database/stages';
import { afterFailure, afterSuccess, rampUp } from './circuit-breaker.ts';
import type { HealthStage } from './circuit-breaker.ts';
import type { ClassifiedAttempt } from './classify-attempt.ts';
import { openConcurrencyLimit } from './concurrency-limit.ts';

/** After this time an endpoint returns to the end of the queue, so that others get a slot. */
const maxDispatchMs = 10_000;
/** A half-open breaker sends one portion in this time. */
const rampPortionMs = 1_000;

/** The consequences of a dispatch for its endpoint. */
export interface DispatchResult {
  /** The new health; undefined when it did not change. */
  health: EndpointHealth | undefined;
  /** How long nothing is sent to the endpoint; null for no backoff. */
  backoffSeconds: number | null;
  /** The transitions of the endpoint, in order. */
  stages: HealthStage[];
  /** The receiver answered 410 Gone. */
  gone: boolean;
  /** The last failed attempt; undefined when none failed. */
  lastFailure: AttemptRecord | undefined;
  /** Whether an endpoint that never answered with 2xx has failed: its host is then rate limited. */
  newEndpointFailed: boolean;
  /** Whether the endpoint may have more due right away. */
  enqueueAgain: boolean;
}

/** What one dispatch may still send, and the health of its endpoint as observed so far. */
export interface DispatchState {
  /** Whether the dispatch is a single probe of an open breaker. */
  probe: boolean;
  /** Maximum number of requests in flight now. */
  concurrencyLimit(): number;
  /** Whether another request may be started. */
  isOpen(): boolean;
  /** Reserves up to `count` requests and returns how many are allowed. */
  reserve(count: number): number;
  /** Takes an attempt into account. `startedAt` is a `performance.now()`, `inFlight` includes the attempt. */
  observe(attempt: ClassifiedAttempt, request: { startedAt: number; inFlight: number }): void;
  /** Closes the dispatch early: the endpoint changed, and is loaded again by the next one. */
  stop(): void;
  /** Closes the dispatch and returns what follows. */
  finish(): DispatchResult;
}

/** Limits of every dispatch. */
export interface DispatchLimits {
  /** Maximum number of requests in flight to one endpoint. */
  endpointConcurrency: number;
  /** Seconds between two requests to a new endpoint, until its first 2xx; 0 sets no limit. */
  newEndpointSeconds: number;
  /** Aborts when the process ends. */
  shutdown: AbortSignal;
}

/** Opens the state of a dispatch to an endpoint as it was loaded. */
export function openDispatchState(
  endpoint: SendableEndpoint,
  { endpointConcurrency, newEndpointSeconds, shutdown }: DispatchLimits,
): DispatchState {
  const startedAt = performance.now();
  const before = endpoint.health;
  // A manual retry is one request in addition to the schedule of probes and the rate of a half-open breaker.
  const { manualRetriesOnly } = endpoint;
  const probe = before.breakerOpenedAt !== null;
  const isNew = before.firstSuccessAt === null && newEndpointSeconds > 0;
  const singleRequest = probe || manualRetriesOnly || isNew;
  const concurrency = openConcurrencyLimit(before.inFlightLimit, endpointConcurrency);

  let health = before;
  let allowance = singleRequest ? 1 : (before.rampPerSecond ?? Infinity);
  let backoffSeconds: number | null = null;
  let gone = false;
  let failed = false;
  let stoppedEarly = false;
  let lastFailure: AttemptRecord | undefined;
  const stages: HealthStage[] = [];

  const elapsedMs = () => performance.now() - startedAt;
  const backOff = (seconds: number) => (backoffSeconds = Math.max(backoffSeconds ?? 0, seconds));
  const firstSucceeded = () => isNew && health.firstSuccessAt !== null;
  const isStopped = () =>
    backoffSeconds !== null ||
    gone ||
    stages.length > 0 ||
    stoppedEarly ||
    firstSucceeded() ||
    shutdown.aborted;

  /** A portion that was used up is followed by a larger one after a second; otherwise nothing is left to ramp up for. */
  function finishRampPortion(): void {
    if (singleRequest || before.rampPerSecond === null || isStopped()) return;
    if (allowance > 0) {
      health = { ...health, rampPerSecond: null };
      return;
    }
    if (!failed) health = rampUp(health);
    backOff(Math.max(0, rampPortionMs - elapsedMs()) / 1_000);
  }

  return {
    probe,
    concurrencyLimit: concurrency.value,
    isOpen: () => !isStopped() && elapsedMs() < maxDispatchMs,

    reserve(count) {
      const reserved = Math.min(count, allowance);
      allowance -= reserved;
      return reserved;
    },

    observe(attempt, request) {
      if (attempt.outcome === 'aborted') return;
      const delivered = attempt.outcome === 'delivered';
      concurrency.observe({
        delivered,
        overloaded: attempt.overloaded,
        ...request,
      });
      const change = delivered
        ? afterSuccess(health)
        : afterFailure(health, new Date(), { probe: probe && !manualRetriesOnly });
      health = change.health;
      if (change.stage) stages.push(change.stage);
      if (change.probeInSeconds !== undefined) backOff(change.probeInSeconds);
      if (attempt.retryAfterSeconds !== undefined) backOff(attempt.retryAfterSeconds);
      if (!delivered) {
        failed = true;
        lastFailure = attempt.record;
      }
      gone ||= attempt.gone;
    },

    stop() {
      stoppedEarly = true;
    },

    finish() {
      finishRampPortion();
      const after = { ...health, inFlightLimit: concurrency.value() };
      const changed = JSON.stringify(after) !== JSON.stringify(before);
      const mayHaveMore =
        elapsedMs() >= maxDispatchMs || stages.includes('closed') || stoppedEarly || firstSucceeded();
      return {
        health: changed ? after : undefined,
        backoffSeconds,
        stages,
        gone,
        lastFailure,
        newEndpointFailed: isNew && failed && !manualRetriesOnly && health.breakerOpenedAt === null,
        enqueueAgain: mayHaveMore && backoffSeconds === null && !gone && !shutdown.aborted,
      };
    },
  };
}

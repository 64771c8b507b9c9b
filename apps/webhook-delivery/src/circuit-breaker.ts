import { initialRampPerSecond, noFailures } from '@rewardhook/database/stages';
import type { EndpointHealth } from '@rewardhook/database/stages';

/** Failures in a row within the window that open the breaker. A half-open breaker opens sooner. */
const failuresToOpen = 7;
const failuresToReopen = 3;
const windowMs = 120_000;
/** Seconds from a failed probe to the next one; the last value repeats. */
const probeSchedule = [10, 30, 60, 120, 300, 600];
/** A half-open breaker starts at `initialRampPerSecond` and doubles each second; above this rate it is closed. */
const maxRampPerSecond = 1_000;

const dayMs = 86_400_000;
/** An endpoint whose attempts have all failed for this long is disabled; the merchant is warned at half of it. */
const disableAfterMs = 5 * dayMs;
/** A gap of more than this between two failures restarts the five days. */
const maxFailureGapMs = 2 * dayMs;

/** A transition of an endpoint: the label of `rewardhook_endpoint_changes_total`. */
export type HealthStage = 'opened' | 'closed' | 'warned' | 'disabled';

/** The new health of an endpoint after an attempt. */
export interface HealthChange {
  health: EndpointHealth;
  stage?: HealthStage;
  /** Seconds until the next probe of an open breaker. */
  probeInSeconds?: number;
}

/** A success resets every count of failures and turns an open breaker half-open. */
export function afterSuccess(health: EndpointHealth, now = new Date()): HealthChange {
  // Nearly every success: nothing changes, and no copy is made for each delivery.
  if (health.firstSuccessAt && isWithoutFailures(health)) return { health };
  const healthy = { ...health, ...noFailures, firstSuccessAt: health.firstSuccessAt ?? now };
  if (!health.breakerOpenedAt) return { health: { ...healthy, rampPerSecond: health.rampPerSecond } };
  return { health: { ...healthy, rampPerSecond: initialRampPerSecond }, stage: 'closed' };
}

const failureFields = Object.entries(noFailures) as [keyof typeof noFailures, unknown][];

function isWithoutFailures(health: EndpointHealth): boolean {
  return failureFields.every(([field, none]) => health[field] === none);
}

/**
 * Counts a failure. A failed `probe` schedules the next probe. `random` returns 0 … 1 and spreads the probes of endpoints
 * that failed at the same time.
 */
export function afterFailure(
  health: EndpointHealth,
  now: Date,
  { probe, random = Math.random }: { probe: boolean; random?: () => number },
): HealthChange {
  const counted = countFailure(health, now);
  const failedForMs = now.getTime() - (counted.failingSince ?? now).getTime();
  if (failedForMs >= disableAfterMs) return { health: counted, stage: 'disabled' };
  const warn = failedForMs >= disableAfterMs / 2 && !counted.warnedAt;
  const next = warn ? { ...counted, warnedAt: now } : counted;
  const stage = warn ? ({ stage: 'warned' } as const) : {};
  if (health.breakerOpenedAt && !probe) return { health: next, ...stage };
  if (health.breakerOpenedAt) {
    const probesFailed = health.probesFailed + 1;
    return {
      health: { ...next, probesFailed },
      probeInSeconds: probeDelay(probesFailed, random),
      ...stage,
    };
  }
  const limit = health.rampPerSecond === null ? failuresToOpen : failuresToReopen;
  if (next.burstFailures < limit) return { health: next, ...stage };
  return {
    health: { ...next, breakerOpenedAt: now, probesFailed: 0, rampPerSecond: null },
    probeInSeconds: probeDelay(0, random),
    stage: 'opened',
  };
}

function countFailure(health: EndpointHealth, now: Date): EndpointHealth {
  const at = now.getTime();
  const restart = health.lastFailedAt !== null && at - health.lastFailedAt.getTime() > maxFailureGapMs;
  const sameWindow = health.burstSince !== null && at - health.burstSince.getTime() <= windowMs;
  return {
    ...health,
    failuresInARow: restart ? 1 : health.failuresInARow + 1,
    failingSince: restart ? now : (health.failingSince ?? now),
    lastFailedAt: now,
    burstFailures: sameWindow ? health.burstFailures + 1 : 1,
    burstSince: sameWindow ? health.burstSince : now,
    warnedAt: restart ? null : health.warnedAt,
  };
}

function probeDelay(probesFailed: number, random: () => number): number {
  const seconds = probeSchedule[Math.min(probesFailed, probeSchedule.length - 1)] as number;
  return seconds * (1 + 0.1 * random());
}

/** When an endpoint that has failed since then is disabled. */
export function disabledAt(failingSince: Date): Date {
  return new Date(failingSince.getTime() + disableAfterMs);
}

/**
 * Doubles the rate of a half-open breaker after a second without a failure; above the maximum rate there is no limit.
 */
export function rampUp(health: EndpointHealth): EndpointHealth {
  if (health.rampPerSecond === null) return health;
  const next = health.rampPerSecond * 2;
  return { ...health, rampPerSecond: next > maxRampPerSecond ? null : next };
}

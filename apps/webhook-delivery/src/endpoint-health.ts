import { initialRampPerSecond } from '@rewardhook/database';
import type { EndpointHealth } from '@rewardhook/database';

/** So many failures in a row within the window open the breaker; after it has just closed, fewer do. */
const failuresThatOpen = 7;
const failuresThatReopen = 3;
const windowMs = 120_000;
/** Seconds from a failed probe to the next; the last one repeats. */
const probeSchedule = [10, 30, 60, 120, 300, 600];
/** A drain begins with `initialRampPerSecond`, is doubled each second, and unlimited beyond this. */
const lastDrainPerSecond = 1_000;

const dayMs = 86_400_000;
/** Nothing but failures for so long disable an endpoint; at half of it the merchant is warned. */
const disableAfterMs = 5 * dayMs;
/** A silence of so long between two failures starts the count of days anew. */
const silenceMs = 2 * dayMs;

/** What follows for an endpoint from an attempt, beside its new health. */
export interface HealthVerdict {
  health: EndpointHealth;
  stage?: 'opened' | 'closed' | 'warned' | 'disabled';
  /** Seconds until the next probe, of an open breaker. */
  probeInSeconds?: number;
}

/** A success ends every count of failures, and closes the breaker. */
export function afterSuccess(health: EndpointHealth, now = new Date()): HealthVerdict {
  const healthy = { ...health, ...cleanSlate, firstSuccessAt: health.firstSuccessAt ?? now };
  if (!health.breakerOpenedAt) return { health: { ...healthy, rampPerSecond: health.rampPerSecond } };
  return { health: { ...healthy, rampPerSecond: initialRampPerSecond }, stage: 'closed' };
}

/** No failure is counted. */
const cleanSlate = {
  failuresInARow: 0,
  failingSince: null,
  lastFailedAt: null,
  burstFailures: 0,
  burstSince: null,
  breakerOpenedAt: null,
  probesFailed: 0,
  warnedAt: null,
} satisfies Partial<EndpointHealth>;

/**
 * Counts a failure; a failed `probe` puts off the next one. `random` gives 0 … 1 and spreads the probes of endpoints
 * that failed together.
 */
export function afterFailure(
  health: EndpointHealth,
  now: Date,
  { probe, random = Math.random }: { probe: boolean; random?: () => number },
): HealthVerdict {
  const counted = count(health, now);
  const failedForMs = now.getTime() - (counted.failingSince ?? now).getTime();
  if (failedForMs >= disableAfterMs) return { health: counted, stage: 'disabled' };
  const warned = failedForMs >= disableAfterMs / 2 && !counted.warnedAt;
  const known = warned ? { ...counted, warnedAt: now } : counted;
  const stage = warned ? ({ stage: 'warned' } as const) : {};
  if (health.breakerOpenedAt && !probe) return { health: known, ...stage };
  if (health.breakerOpenedAt) {
    const probed = { ...known, probesFailed: health.probesFailed + 1 };
    return { health: probed, probeInSeconds: probeDelay(probed.probesFailed, random), ...stage };
  }
  const limit = health.rampPerSecond === null ? failuresThatOpen : failuresThatReopen;
  if (known.burstFailures < limit) return { health: known, ...stage };
  return {
    health: { ...known, breakerOpenedAt: now, probesFailed: 0, rampPerSecond: null },
    probeInSeconds: probeDelay(0, random),
    stage: 'opened',
  };
}

function count(health: EndpointHealth, now: Date): EndpointHealth {
  const at = now.getTime();
  const silent = health.lastFailedAt !== null && at - health.lastFailedAt.getTime() > silenceMs;
  const sameWindow = health.burstSince !== null && at - health.burstSince.getTime() <= windowMs;
  return {
    ...health,
    failuresInARow: silent ? 1 : health.failuresInARow + 1,
    failingSince: silent ? now : (health.failingSince ?? now),
    lastFailedAt: now,
    burstFailures: sameWindow ? health.burstFailures + 1 : 1,
    burstSince: sameWindow ? health.burstSince : now,
    warnedAt: silent ? null : health.warnedAt,
  };
}

function probeDelay(probesFailed: number, random: () => number): number {
  const seconds = probeSchedule[Math.min(probesFailed, probeSchedule.length - 1)] as number;
  return seconds * (1 + 0.1 * random());
}

/** When an endpoint that fails since then is disabled. */
export function disabledAt(failingSince: Date): Date {
  return new Date(failingSince.getTime() + disableAfterMs);
}

/** The drain after a second that went well: twice as much, and no limit in the end. */
export function widenDrain(health: EndpointHealth): EndpointHealth {
  if (health.rampPerSecond === null) return health;
  const wider = health.rampPerSecond * 2;
  return { ...health, rampPerSecond: wider > lastDrainPerSecond ? null : wider };
}

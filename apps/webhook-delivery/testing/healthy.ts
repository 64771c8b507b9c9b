import type { EndpointHealth } from '@rewardhook/database/stages';

/** The health of an endpoint that has answered with 2xx and has not failed since. */
export const healthy: EndpointHealth = {
  inFlightLimit: 4,
  failuresInARow: 0,
  failingSince: null,
  lastFailedAt: null,
  burstFailures: 0,
  burstSince: null,
  breakerOpenedAt: null,
  probesFailed: 0,
  rampPerSecond: null,
  warnedAt: null,
  firstSuccessAt: new Date(0),
};

import type { Findings } from './checks/check-everything.ts';
import type { LoadEnvironment } from './open-environment.ts';

/** One line about the requests. */
export function describeTraffic({ load: { traffic }, merchants }: LoadEnvironment): string {
  const distinct = merchants.reduce((sum, { accepted }) => sum + accepted.orders.size, 0);
  return (
    `  ${traffic.accepted} requests accepted with ${traffic.orders} orders (${distinct} different), after ` +
    `${traffic.refused} responses 503 and ${traffic.broken} broken connections; ` +
    `the slowest took ${Math.round(traffic.slowestMs)} ms`
  );
}

/** One line about the webhooks. */
export function describeDeliveries({ deliveries }: Findings): string {
  const { received, distinct, revocations } = deliveries;
  return `  ${received} webhooks received: ${distinct} different (${revocations} revocations), ${received - distinct} repeated`;
}

import type { ChaosEnvironment } from './environment/open-environment.ts';
import type { Findings } from './checks/check-everything.ts';

/** The report of a run. */
export function describeRun(run: {
  seed: number;
  minutes: number;
  injected: Map<string, string[]>;
  environment: ChaosEnvironment;
  findings: Findings;
}): string {
  const { environment, findings } = run;
  const faults = [...run.injected].map(
    ([name, all]) => `  ${name.padEnd(16)} ${all.length}  (${all.join('; ')})`,
  );
  return [
    `\nseed ${run.seed}, ${run.minutes} minutes`,
    ...faults,
    describeTraffic(environment),
    describeDeliveries(findings),
    ...(findings.problems.length === 0
      ? ['✓ no order is lost, no reward is given twice, doctor finds no problem']
      : findings.problems.map((problem) => `✗ ${problem}`)),
  ].join('\n');
}

/** One line about the requests. */
export function describeTraffic({ load: { traffic }, merchants }: ChaosEnvironment): string {
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

import type { ChaosEnvironment } from './environment/open-environment.ts';
import type { Findings } from './checks/check-everything.ts';

/** A run, told for a person. */
export function describeRun(run: {
  seed: number;
  minutes: number;
  struck: Map<string, string[]>;
  environment: ChaosEnvironment;
  findings: Findings;
}): string {
  const { environment, findings } = run;
  const faults = [...run.struck].map(
    ([name, all]) => `  ${name.padEnd(16)} ${all.length}  (${all.join('; ')})`,
  );
  return [
    `\nseed ${run.seed}, ${run.minutes} minutes`,
    ...faults,
    describeTraffic(environment),
    describeDeliveries(findings),
    ...(findings.problems.length === 0
      ? ['✓ nothing is lost, nothing is doubled, doctor is content']
      : findings.problems.map((problem) => `✗ ${problem}`)),
  ].join('\n');
}

/** The requests, in one line. */
export function describeTraffic({ load: { traffic }, shops }: ChaosEnvironment): string {
  const distinct = shops.reduce((sum, { book }) => sum + book.orders.size, 0);
  return (
    `  ${traffic.accepted} requests accepted with ${traffic.orders} orders (${distinct} different), after ` +
    `${traffic.refused} answers 503 and ${traffic.broken} broken connections; ` +
    `the slowest took ${Math.round(traffic.slowestMs)} ms`
  );
}

/** The webhooks, in one line. */
export function describeDeliveries({ deliveries }: Findings): string {
  const { received, distinct, revocations } = deliveries;
  return `  ${received} webhooks received: ${distinct} different (${revocations} revocations), ${received - distinct} repeated`;
}

import { describeDeliveries, describeTraffic } from '../tests/harness/service-under-load/describe.ts';
import type { LoadEnvironment } from '../tests/harness/service-under-load/open-environment.ts';
import type { Findings } from '../tests/harness/service-under-load/checks/check-everything.ts';

/** The report of a run. */
export function describeRun(run: {
  seed: number;
  minutes: number;
  injected: Map<string, string[]>;
  environment: LoadEnvironment;
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

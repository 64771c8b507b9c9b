import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import type { Samples } from './scrape-metrics.ts';

/** Each phase is evaluated for 10 minutes, twice the time that Prometheus uses a value which is no longer scraped. */
const samplesPerPhase = 40;

/**
 * Whether an alert of ops/prometheus fires in `promtool test rules` after the scraped samples changed from `before` to
 * `after`. Throws when an alert fires before that.
 */
export async function firesAfter(alert: string, before: Samples, after: Samples): Promise<boolean> {
  const series = [...new Set([...before.keys(), ...after.keys()])];
  const phase = (value: number | undefined) =>
    value === undefined ? `_x${samplesPerPhase - 1}` : `${value}x${samplesPerPhase - 1}`;
  const firing = (name?: string) =>
    `(count(ALERTS{alertstate="firing"${name ? `,alertname="${name}"` : ''}}) > bool 0) or vector(0)`;
  const expect = (expr: string, minutes: number, value: number) => ({
    expr,
    eval_time: `${minutes}m`,
    exp_samples: [{ value }],
  });
  const test = (checks: object[]) => ({
    rule_files: [join(projectRoot, 'ops/prometheus/alerts.yml')],
    evaluation_interval: '15s',
    tests: [
      {
        interval: '15s',
        input_series: series.map((name) => ({
          series: name,
          values: `${phase(before.get(name))} ${phase(after.get(name))}`,
        })),
        promql_expr_test: checks,
      },
    ],
  });
  const quiet = await runTest(test([expect(firing(), 9, 0)]));
  if (quiet !== undefined) throw new Error(`an alert fires without a fault:\n${quiet}`);
  return (await runTest(test([expect(firing(alert), 19, 1)]))) === undefined;
}

/** Runs `promtool test rules`. Returns its output when the test fails. */
async function runTest(test: object): Promise<string | undefined> {
  const folder = temporaryFolder();
  try {
    const path = join(folder.path, 'test.json');
    writeFileSync(path, JSON.stringify(test));
    return await promisify(execFile)('promtool', ['test', 'rules', path]).then(
      () => undefined,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
    );
  } finally {
    folder.remove();
  }
}

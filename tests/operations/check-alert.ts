import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import type { Samples } from './scrape-metrics.ts';

/** Each phase is evaluated for 10 minutes, twice the time that Prometheus uses a value which is no longer scraped. */
const samplesPerPhase = 10;

/** Whether no alert of ops/prometheus fires in `promtool test rules` while processes have these samples. */
export function isQuiet(samples: Samples): Promise<boolean> {
  return runTest([samples], { expr: firing({}), eval_time: '9m', exp_samples: [{ value: 0 }] });
}

/** Whether an alert, with these labels, fires after the samples have changed from `before` to `after`. */
export function firesAfter(
  alert: string,
  before: Samples,
  after: Samples,
  labels: Record<string, string> = {},
): Promise<boolean> {
  const expr = firing({ alertname: alert, ...labels });
  return runTest([before, after], { expr, eval_time: '19m', exp_samples: [{ value: 1 }] });
}

/** 1 when an alert with these labels fires, otherwise 0. */
function firing(labels: Record<string, string>): string {
  const selector = Object.entries(labels).map(([name, value]) => `,${name}="${value}"`);
  return `(count(ALERTS{alertstate="firing"${selector.join('')}}) > bool 0) or vector(0)`;
}

/** Runs `promtool test rules` with one check on the samples of the phases. Returns whether it succeeds. */
async function runTest(phases: Samples[], check: object): Promise<boolean> {
  const names = new Set(phases.flatMap((samples) => [...samples.keys()]));
  const series = Array.from(names, (name) => ({
    series: name,
    values: phases.map((samples) => `${samples.get(name) ?? '_'}x${samplesPerPhase - 1}`).join(' '),
  }));
  const test = {
    rule_files: [join(projectRoot, 'ops/prometheus/alerts.yml')],
    evaluation_interval: '1m',
    tests: [{ interval: '1m', input_series: series, promql_expr_test: [check] }],
  };
  const folder = temporaryFolder();
  try {
    const path = join(folder.path, 'test.json');
    writeFileSync(path, JSON.stringify(test));
    await promisify(execFile)('promtool', ['test', 'rules', path]);
    return true;
  } catch (error) {
    // promtool exits with 1 when a check fails.
    if ((error as { code?: unknown }).code === 1) return false;
    throw error;
  } finally {
    folder.remove();
  }
}

import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '@rewardhook/local-stack';
import { reportProblem } from '../scripts/report-problem.ts';
import { stopSignal } from '../scripts/stop-signal.ts';
import { checkHistory } from './checks/check-history.ts';
import type { Findings } from './checks/check-history.ts';
import { readHistory } from './ledger/read-history.ts';
import { describeRun } from './report.ts';
import { claimRunFolder } from './claim-run-folder.ts';
import { runChaos } from './run-chaos.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { scenarios } from './scenarios/scenarios.ts';
import { describeSelfTest, runSelfTest } from './self-test/run-self-test.ts';

const usage = `Uses the service as shops do while faults are injected (processes are killed and frozen, Redis is emptied, …), and checks
what it promises: no order is lost, no reward is given twice, every webhook arrives.

Usage: npm run chaos -- [options]
  --minutes N        for how long rounds of scenarios are started, which the seed chooses; then everything is read back and checked (default 3)
  --seed S           the same seed makes the same choices, not the same moments (default: derived from the time)
  --scenario NAMES   only these scenarios, comma-separated, each at least once, without faults at random: ${scenarios.map(({ name }) => name).join(', ')}
  --check FOLDER     check a run again that has ended, from its files
  --self-test [NAMES] plant defects in a copy of the service, all or those that are named, and see that each is found

Exit code 1 when a check fails, or a scenario did not reach its situation. Ledger, logs and data of the run stay in .local/chaos
until the next one; a run beside it has .local/chaos-2. docs/reliability.md says what each scenario shows.`;

const log = (line: string) => console.error(`· ${line}`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      scenario: { type: 'string' },
      check: { type: 'string' },
      'self-test': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (positionals.length > 0 && !values['self-test'])
    throw new Error(`"${positionals[0]}" is no option. Name scenarios with --scenario`);
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  if (!Number.isInteger(seed)) throw new Error('--seed must be an integer');
  if (values.check !== undefined) return report(checkHistory(await readHistory(values.check)), values.check);
  const signal = stopSignal();
  if (values['self-test']) {
    const result = await runSelfTest({ names: positionals.flatMap(splitNames), seed, log, signal });
    console.log(describeSelfTest(result));
    return result.every(({ caught }) => caught) ? 0 : 1;
  }
  log(`seed ${seed}, ${minutes} minutes`);
  const chosen =
    values.scenario === undefined
      ? scenarios.filter(({ onlyByName }) => !onlyByName)
      : splitNames(values.scenario).map(findScenario);
  const { folder, claim } = await claimRunFolder(join(projectRoot, '.local/chaos'));
  try {
    const atRandom = values.scenario === undefined;
    const findings = await runChaos({ folder, seed, minutes, scenarios: chosen, atRandom, log, signal });
    return report(findings, relative('.', folder));
  } finally {
    claim.release();
  }
}

function report(findings: Findings, folder: string): number {
  console.log(describeRun(findings, folder));
  return findings.failed.length === 0 ? 0 : 1;
}

const splitNames = (text: string) => text.split(',').map((name) => name.trim());

function findScenario(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name);
  if (!found)
    throw new Error(
      `"${name}" is no scenario. The scenarios are ${scenarios.map((one) => one.name).join(', ')}`,
    );
  return found;
}

main().then((code) => process.exit(code), reportProblem);

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { claimFolder, projectRoot } from '@rewardhook/local-stack';
import type { Findings } from '../checks/check-history.ts';
import type { Defect } from '../defects/defect.ts';
import { defects } from '../defects/defects.ts';
import { now } from '../ledger/clock.ts';
import { runChaos } from '../run-chaos.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { openCopy } from './open-copy.ts';

/** What became of one defect. */
export interface Outcome {
  defect: string;
  /** The check or test that had to notice. */
  by: string;
  caught: boolean;
  /** From the first request to the failed check; undefined without a request. */
  seconds: number | undefined;
  /** What was found instead. */
  found: string;
}

export interface SelfTestOptions {
  /** Default: all defects. */
  names: readonly string[];
  seed: number;
  log: (line: string) => void;
  signal?: AbortSignal;
}

/** A named check must have failed within this time, in seconds from the first request. */
const limitSeconds = 180;

/**
 * Plants each defect in a copy of this checkout and runs the scenario or the test that it names. The same scenarios, with the same seed, must
 * pass on the unchanged copy before.
 * @throws when they do not, or a defect cannot be planted
 */
export async function runSelfTest(options: SelfTestOptions): Promise<Outcome[]> {
  const folder = join(projectRoot, '.local/chaos-self-test');
  const claim = await claimFolder(folder);
  try {
    return await plantDefects(folder, options);
  } finally {
    claim.release();
  }
}

async function plantDefects(
  folder: string,
  { names, seed, log, signal }: SelfTestOptions,
): Promise<Outcome[]> {
  const chosen = names.length === 0 ? defects : names.map(find);
  log('copying the checkout');
  const copy = openCopy(join(folder, 'copy'));
  const run = (scenarioNames: ReadonlySet<string>) =>
    runChaos({
      folder: join(folder, 'run'),
      checkout: copy.folder,
      scenarios: scenarios.filter(({ name }) => scenarioNames.has(name)),
      seed,
      minutes: 0,
      atRandom: false,
      log,
      ...(signal ? { signal } : {}),
    });
  await copy.plant([]);
  // One after the other, as for each defect: beside others a scenario has other random numbers and other faults.
  const needed = new Set(
    chosen.flatMap(({ caughtBy }) => ('scenario' in caughtBy ? [caughtBy.scenario] : [])),
  );
  for (const name of needed) {
    log(`the unchanged copy: ${name}`);
    const { failed } = await run(new Set([name]));
    if (failed.length > 0) throw new Error(`The unchanged copy does not pass: ${failed.join(', ')}`);
  }
  for (const { caughtBy } of chosen)
    if ('test' in caughtBy) {
      log(`the unchanged copy: ${caughtBy.test}`);
      const { passed, summary } = await runTest(copy.folder, caughtBy);
      if (!passed) throw new Error(`The unchanged copy does not pass ${caughtBy.test}: ${summary}`);
    }
  const outcomes: Outcome[] = [];
  for (const defect of chosen) {
    log(`defect ${defect.name}`);
    const outcome = await tryDefect(defect).catch((error: unknown): Outcome => ({
      defect: defect.name,
      by: 'nothing',
      caught: false,
      seconds: undefined,
      found: `it could not be tried: ${(error as Error).message}`,
    }));
    copy.undo();
    log(describe(outcome));
    outcomes.push(outcome);
  }
  return outcomes;

  async function tryDefect({ name, edits, caughtBy }: Defect): Promise<Outcome> {
    await copy.plant(edits);
    if ('scenario' in caughtBy)
      return outcomeOf(name, caughtBy.check, await run(new Set([caughtBy.scenario])));
    const { failed, summary } = await runTest(copy.folder, caughtBy);
    return { defect: name, by: caughtBy.test, caught: failed, seconds: undefined, found: summary };
  }
}

function outcomeOf(defect: string, check: string, { history, failed }: Findings): Outcome {
  const first = Math.min(...history.shops.flatMap(({ calls }) => calls.map(({ sentAt }) => sentAt)));
  // When the scenario found it, or now, at the end of the run.
  const found = Math.min(
    now(),
    ...history.violations.filter((one) => one.check === check).map(({ at }) => at),
  );
  const seconds = Math.round((found - first) / 1_000);
  const caught = failed.includes(check) && seconds <= limitSeconds;
  return { defect, by: check, caught, seconds, found: failed.join(', ') || 'nothing' };
}

/** Runs one test of the copy. A file that could not be loaded has neither passed nor failed. */
function runTest(
  cwd: string,
  { test, title }: { test: string; title: string },
): Promise<{ passed: boolean; failed: boolean; summary: string }> {
  const config = test.includes('.e2e.') ? ['--config', 'jest.e2e.config.ts'] : [];
  const args = ['node_modules/jest/bin/jest.js', ...config, '--runInBand', test, '-t', title];
  const child = spawn(process.execPath, args, { cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      const tests = /^Tests: .*$/m.exec(output)?.[0];
      const failed = / \d+ failed/.test(tests ?? '');
      const passed = !failed && / \d+ passed/.test(tests ?? '');
      resolve({ passed, failed, summary: tests ?? output.slice(-1_000) });
    });
  });
}

/** The table of a self-test. */
export function describeSelfTest(outcomes: readonly Outcome[]): string {
  const caught = outcomes.filter((one) => one.caught).length;
  return [...outcomes.map(describe), `${caught} of ${outcomes.length} defects are caught`].join('\n');
}

function describe({ defect, by, caught, seconds, found }: Outcome): string {
  const time = seconds === undefined ? '' : ` after ${seconds} s`;
  const how = caught ? `caught by ${by}${time}` : `NOT CAUGHT by ${by}; failed: ${found}`;
  return `${caught ? '✓' : '✗'} ${defect.padEnd(28)} ${how}`;
}

function find(name: string): Defect {
  const found = defects.find((one) => one.name === name);
  if (!found)
    throw new Error(`"${name}" is no defect. The defects are ${defects.map((one) => one.name).join(', ')}`);
  return found;
}

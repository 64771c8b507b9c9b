import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projectRoot } from '@rewardhook/local-stack';
import { reportProblem } from '../scripts/report-problem.ts';
import { stopSignal } from '../scripts/stop-signal.ts';
import { openEnvironment } from './environment/open-environment.ts';
import type { ChaosEnvironment } from './environment/open-environment.ts';
import { checkEverything } from './checks/check-everything.ts';
import { waitUntilQuiet } from './checks/wait-until-quiet.ts';
import { chooseFaults } from './faults/faults.ts';
import { openRandom } from './random.ts';
import { describeRun } from './report.ts';

const usage = `Kills, freezes and empties parts of Rewardhook at random under load, and checks that nothing is lost or doubled.

Usage: npm run chaos -- [options]
  --minutes N   how long (default 3)
  --seed S      the same seed makes the same orders and chooses the same faults (default: the time)

Exit code 1 when a check fails. Data and logs of the run stay in .local/chaos until the next one.`;

const say = (line: string) => console.error(`· ${line}`);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0)) throw new Error('--minutes wants a number above 0');
  if (!Number.isInteger(seed)) throw new Error('--seed wants a whole number');

  const signal = stopSignal();
  say(`seed ${seed}, ${minutes} minutes`);
  const environment = await openEnvironment({
    dataDir: join(projectRoot, '.local/chaos'),
    workers: { sync: 2, 'reward-evaluation': 2, 'webhook-delivery': 2 },
    lanes: 2,
    ordersPerRequest: 50,
    pauseMs: 800,
    seed,
    say,
    signal,
  });
  signal.addEventListener('abort', () => void environment.close().finally(() => process.exit(130)));
  try {
    const struck = await strikeFor(minutes * 60_000, environment, seed);
    say('no more faults: waiting until everything is done');
    await environment.load.stop();
    await waitUntilQuiet(environment, 180_000);
    const findings = await checkEverything(environment);
    console.log(describeRun({ seed, minutes, struck, environment, findings }));
    return findings.problems.length === 0 ? 0 : 1;
  } finally {
    await environment.close();
  }
}

/** Lets one or two faults strike after the other until the time is over. Returns what struck, by fault. */
async function strikeFor(
  ms: number,
  environment: ChaosEnvironment,
  seed: number,
): Promise<Map<string, string[]>> {
  const random = openRandom(seed);
  const struck = new Map<string, string[]>();
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await setTimeout(random.between(300, 2_000));
    await Promise.all(
      chooseFaults(random).map(async (fault) => {
        const done = await fault.strike(environment, random);
        say(`${fault.name} ${done}`);
        struck.set(fault.name, [...(struck.get(fault.name) ?? []), done]);
      }),
    );
  }
  return struck;
}

main().then((code) => process.exit(code), reportProblem);

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projectRoot } from '@rewardhook/local-stack';
import { reportProblem } from '../scripts/report-problem.ts';
import { stopSignal } from '../scripts/stop-signal.ts';
import { openEnvironment } from '../tests/harness/service-under-load/open-environment.ts';
import type { LoadEnvironment } from '../tests/harness/service-under-load/open-environment.ts';
import { checkEverything } from '../tests/harness/service-under-load/checks/check-everything.ts';
import { waitUntilIdle } from '../tests/harness/service-under-load/checks/wait-until-idle.ts';
import { openRandom } from '../tests/harness/service-under-load/random.ts';
import { chooseFaults } from './faults/faults.ts';
import { describeRun } from './report.ts';

const usage = `Injects faults at random under load (kills and freezes processes, empties Redis, …), and checks that no order is lost and
no reward is given twice.

Usage: npm run chaos -- [options]
  --minutes N   how long (default 3)
  --seed S      the same seed makes the same orders and the same faults (default: derived from the time)

Exit code 1 when a check fails. Data and logs of the run stay in .local/chaos until the next one.`;

const log = (line: string) => console.error(`· ${line}`);

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
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  if (!Number.isInteger(seed)) throw new Error('--seed must be an integer');

  const signal = stopSignal();
  log(`seed ${seed}, ${minutes} minutes`);
  const environment = await openEnvironment({
    dataDir: join(projectRoot, '.local/chaos'),
    workers: { sync: 2, 'reward-evaluation': 2, 'webhook-delivery': 2 },
    senders: 2,
    ordersPerRequest: 50,
    pauseMs: 800,
    seed,
    log,
    signal,
  });
  signal.addEventListener('abort', () => void environment.close().finally(() => process.exit(130)));
  try {
    const injected = await injectFaults(minutes * 60_000, environment, seed);
    log('no more faults: waiting until all work is done');
    await environment.load.stop();
    await waitUntilIdle(environment, 180_000);
    const findings = await checkEverything(environment);
    console.log(describeRun({ seed, minutes, injected, environment, findings }));
    return findings.problems.length === 0 ? 0 : 1;
  } finally {
    await environment.close();
  }
}

/** Injects faults, one or two at a time, until the time is over. Returns what was done, by fault. */
async function injectFaults(
  ms: number,
  environment: LoadEnvironment,
  seed: number,
): Promise<Map<string, string[]>> {
  const random = openRandom(seed);
  const injected = new Map<string, string[]>();
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await setTimeout(random.between(300, 2_000));
    await Promise.all(
      chooseFaults(random).map(async (fault) => {
        const done = await fault.inject(environment, random);
        log(`${fault.name} ${done}`);
        injected.set(fault.name, [...(injected.get(fault.name) ?? []), done]);
      }),
    );
  }
  return injected;
}

main().then((code) => process.exit(code), reportProblem);

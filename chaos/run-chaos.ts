import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { projectRoot } from '@rewardhook/local-stack';
import { checkHistory } from './checks/check-history.ts';
import type { Findings } from './checks/check-history.ts';
import { chooseFault } from './faults/choose-fault.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { readHistory } from './ledger/read-history.ts';
import { openRandom } from './random.ts';
import type { Random } from './random.ts';
import type { Scenario, ScenarioContext } from './scenarios/scenario.ts';
import { drain } from './service/drain.ts';
import { openService } from './service/open-service.ts';
import type { Service } from './service/open-service.ts';
import { observeShop } from './shop/observe-shop.ts';
import { openShop } from './shop/open-shop.ts';
import type { Shop } from './shop/open-shop.ts';

export interface ChaosOptions {
  /** Where ledger, logs and data of the run are written. */
  folder: string;
  seed: number;
  /** How long scenarios are started. */
  minutes: number;
  scenarios: readonly Scenario[];
  /**
   * Whether the seed chooses among the scenarios, and faults are injected at random beside those that allow it. Otherwise each scenario runs
   * at least once, with the faults that it injects itself.
   */
  atRandom: boolean;
  /** The checkout whose programs run; default this one. */
  checkout?: string;
  log: (line: string) => void;
  signal?: AbortSignal;
}

/** Scenarios that run at a time. */
const concurrent = 3;

/** Runs scenarios under faults, reads back what became of it, and checks it. */
export async function runChaos(options: ChaosOptions): Promise<Findings> {
  const { folder, seed, minutes, scenarios, atRandom, checkout, log, signal } = options;
  const ledger = openLedger(folder);
  try {
    ledger.write({
      ...{ kind: 'run', seed, minutes, commit: commitOf(), cores: availableParallelism() },
      scenarios: atRandom ? null : scenarios.map(({ name }) => name),
    });
    const service = await openService({
      ...{ folder, ledger, log },
      ...(checkout === undefined ? {} : { checkout }),
      ...(signal ? { signal } : {}),
    });
    const shops = new Map<string, Shop>();
    try {
      await runRounds(service, shops, options);
      log('the load has ended: waiting until all work is done');
      await drain(service);
      log('reading back');
      for (const shop of shops.values()) await observeShop(shop, ledger);
    } finally {
      await Promise.all([...shops.values()].map((shop) => shop.close()));
      await service.close();
    }
  } finally {
    ledger.close();
  }
  return checkHistory(await readHistory(folder));
}

/** Runs rounds until the time is over, each with some scenarios, and with faults beside them or without. */
async function runRounds(
  service: Service,
  shops: Map<string, Shop>,
  { seed, minutes, scenarios, atRandom, log, signal }: ChaosOptions,
): Promise<void> {
  const random = openRandom(seed);
  const stopping = new AbortController();
  signal?.addEventListener('abort', () => stopping.abort());
  // After the first violation the load stops, and everything is checked.
  service.ledger.onEntry(({ kind }) => kind === 'violation' && stopping.abort());
  // What a scenario or a fault waits for in vain can be the service that fails.
  const violation = (check: string, what: string) => (error: unknown) =>
    service.ledger.write({ kind: 'violation', check, text: `${what}: ${(error as Error).message}` });
  const end = performance.now() + minutes * 60_000;
  const left = new Set(scenarios);
  const isOver = () => performance.now() > end && (atRandom || left.size === 0);
  for (let round = 1; round === 1 || !isOver(); round += 1) {
    if (stopping.signal.aborted) return;
    const chosen = chooseScenarios(scenarios, left, atRandom, random);
    for (const one of chosen) left.delete(one);
    const withFaults = atRandom && chosen.every(({ besideFaults }) => besideFaults);
    log(`round ${round}: ${chosen.map(({ name }) => name).join(', ')}${withFaults ? ', beside faults' : ''}`);
    for (const { name } of chosen)
      service.ledger.write({ kind: 'started', scenario: name, round: `r${round}` });
    const over = new AbortController();
    const injecting = withFaults
      ? injectFaults(service, openRandom(seed * 1_000 + round), over.signal).catch(
          violation('faults-ended', 'the fault'),
        )
      : undefined;
    const contexts = chosen.map((scenario): [Scenario, ScenarioContext] => [
      scenario,
      {
        ...{ service, round: `r${round}`, besideFaults: withFaults, signal: stopping.signal },
        random: openRandom(seed * 1_000 + round * 10 + scenarios.indexOf(scenario)),
        async shop(name, shopOptions) {
          const full = `${scenario.name} ${name}`;
          const shop = shops.get(full) ?? (await openShop(service, scenario.name, full, shopOptions));
          shops.set(full, shop);
          return shop;
        },
        reached: () => service.ledger.write({ kind: 'situation', scenario: scenario.name }),
        measured: (what, ms) =>
          service.ledger.write({ kind: 'measured', what, ms: Number.isFinite(ms) ? ms : null }),
        checked(check, count, problems = []) {
          service.ledger.write({ kind: 'checked', check, count });
          for (const text of problems) service.ledger.write({ kind: 'violation', check, text });
        },
      },
    ]);
    try {
      await Promise.all(
        contexts.map(([scenario, context]) =>
          scenario.run(context).catch(violation('scenario-completed', scenario.name)),
        ),
      );
    } finally {
      over.abort();
      await injecting;
    }
  }
}

/** The scenarios of a round: at first those that have not run yet. All of them run beside faults, or none. */
function chooseScenarios(
  scenarios: readonly Scenario[],
  left: ReadonlySet<Scenario>,
  atRandom: boolean,
  random: Random,
): Scenario[] {
  const first = random.pick(left.size > 0 ? [...left] : scenarios);
  if (first.alone) return [first];
  const fitting = scenarios.filter(
    (one) => one !== first && !one.alone && (!atRandom || one.besideFaults === first.besideFaults),
  );
  const chosen = [first];
  while (chosen.length < concurrent && fitting.length > 0) {
    const preferred = fitting.filter((one) => left.has(one));
    const next = random.pick(preferred.length > 0 ? preferred : fitting);
    fitting.splice(fitting.indexOf(next), 1);
    chosen.push(next);
  }
  return chosen;
}

/** Injects one fault after the other until the round is over. */
async function injectFaults(service: Service, random: Random, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await setTimeout(random.between(300, 2_000));
    if (over.aborted) return;
    await chooseFault(random).inject(service, random);
  }
}

function commitOf(): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: projectRoot, encoding: 'utf8' }).trim();
}

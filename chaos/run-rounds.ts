import { injectFaults } from './faults/inject-faults.ts';
import { openRandom } from './random.ts';
import type { Random } from './random.ts';
import type { Scenario, ScenarioContext } from './scenarios/scenario.ts';
import type { Service } from './service/open-service.ts';
import { inBackground } from './in-background.ts';
import { openShop } from './shop/open-shop.ts';
import type { Shop } from './shop/open-shop.ts';

/** Scenarios that run at a time. */
const concurrent = 3;

/** How long a round beside faults lasts at least, as a share of the run and at most, in milliseconds. */
const shareBesideFaults = 1 / 4;
const longestBesideFaultsMs = 60_000;

export interface RoundsOptions {
  seed: number;
  /** For how long rounds are started, from the beginning of the run on. */
  minutes: number;
  /** No round is started after this moment, by `performance.now`. */
  until: number;
  scenarios: readonly Scenario[];
  /**
   * Whether the seed chooses among the scenarios, and faults are injected at random beside those that allow it. Otherwise each scenario runs
   * at least once, with the faults that it injects itself.
   */
  atRandom: boolean;
  log: (line: string) => void;
  signal?: AbortSignal;
}

interface Round {
  name: string;
  scenarios: Scenario[];
  besideFaults: boolean;
}

/** Runs rounds until the time is over, each with some scenarios, and with faults beside them or without. */
export async function runRounds(
  service: Service,
  shops: Map<string, Shop>,
  { seed, minutes, scenarios, atRandom, log, signal, until }: RoundsOptions,
): Promise<void> {
  const random = openRandom(seed);
  const violated = new AbortController();
  // After the first violation the load stops, and everything is checked.
  service.ledger.onEntry(({ kind }) => kind === 'violation' && violated.abort());
  const stopped = signal ? AbortSignal.any([signal, violated.signal]) : violated.signal;
  // What a scenario or a fault waits for in vain can be the service that fails.
  const violation = (check: string, what: string) => (error: unknown) =>
    service.ledger.write({ kind: 'violation', check, text: `${what}: ${(error as Error).message}` });
  const left = new Set(scenarios);
  const isOver = () => performance.now() > until && (atRandom || left.size === 0);
  for (let number = 1; number === 1 || !isOver(); number += 1) {
    if (stopped.aborted) return;
    // Every other round is one beside faults.
    const besideFaults = atRandom && number % 2 === 1;
    const round = { name: `r${number}`, besideFaults, scenarios: choose(besideFaults) };
    for (const one of round.scenarios) left.delete(one);
    await run(round, openRandom(seed * 1_000 + number));
  }

  function choose(besideFaults: boolean): Scenario[] {
    const possible = scenarios.filter((one) => !atRandom || one.besideFaults === besideFaults);
    return chooseScenarios(possible.length > 0 ? possible : scenarios, left, random);
  }

  async function run(round: Round, ofFaults: Random): Promise<void> {
    const names = round.scenarios.map(({ name }) => name);
    const start = performance.now();
    const lastsMs = round.besideFaults
      ? Math.min(longestBesideFaultsMs, minutes * 60_000 * shareBesideFaults)
      : 0;
    for (const scenario of names) service.ledger.write({ kind: 'started', scenario, round: round.name });
    const isTimeLeft = () => !stopped.aborted && performance.now() < start + lastsMs;
    /** Shops that are being opened: a command of the operator that is interrupted cannot be repeated. */
    const opening = new Set<Promise<Shop>>();
    const mayBegin = async () => {
      while (opening.size > 0) await Promise.allSettled(opening);
    };
    const injecting = injectFaults(service, ofFaults, {
      isTimeLeft,
      mayBegin,
    }).catch(violation('faults-ended', 'the fault'));
    await Promise.all(
      round.scenarios.map((scenario) =>
        scenario
          .run(contextOf(scenario, round, isTimeLeft, opening))
          .catch(violation('scenario-completed', scenario.name)),
      ),
    );
    await injecting;
    const seconds = Math.round((performance.now() - start) / 1_000);
    log(`${round.name}: ${names.join(', ')}${round.besideFaults ? ', beside faults' : ''}: ${seconds} s`);
  }

  function contextOf(
    scenario: Scenario,
    round: Round,
    isTimeLeft: () => boolean,
    opening: Set<Promise<Shop>>,
  ): ScenarioContext {
    const number = Number(round.name.slice(1));
    return {
      service,
      round: round.name,
      isTimeLeft,
      signal: stopped,
      random: openRandom(seed * 1_000 + number * 10 + scenarios.indexOf(scenario)),
      async shop(name, options) {
        const full = `${scenario.name} ${name}`;
        const known = shops.get(full);
        if (known) return known;
        const opened = inBackground(openShop(service, scenario.name, full, options));
        opening.add(opened);
        const shop = await opened.finally(() => opening.delete(opened));
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
    };
  }
}

/** The scenarios of a round: at first those that have not run yet. */
function chooseScenarios(
  possible: readonly Scenario[],
  left: ReadonlySet<Scenario>,
  random: Random,
): Scenario[] {
  const fresh = possible.filter((one) => left.has(one));
  const first = random.pick(fresh.length > 0 ? fresh : possible);
  if (first.alone) return [first];
  const fitting = possible.filter((one) => one !== first && !one.alone);
  const chosen = [first];
  while (chosen.length < concurrent && fitting.length > 0) {
    const preferred = fitting.filter((one) => left.has(one));
    const next = random.pick(preferred.length > 0 ? preferred : fitting);
    fitting.splice(fitting.indexOf(next), 1);
    chosen.push(next);
  }
  return chosen;
}

import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { median, percentile } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { openEndpointCrowd } from '../stack/endpoint-crowd.ts';
import type { EndpointCrowd } from '../stack/endpoint-crowd.ts';
import { openTask } from '../tasks/open-task.ts';

const section = 'Isolation: 400 healthy endpoints among 1,000';
/** So many in a thousand take a request and never answer. */
const hanging = [0, 10, 100, 500];
const healthy = 400;
const slow = 50;
const fails = 50;
/** Steady load: each endpoint gets a delivery every so many seconds, in portions. */
const secondsBetween = 2;
const portionsPerSecond = 5;
/** Deliveries of the burst, to each endpoint. */
const burst = 40;

interface Run {
  p50: number;
  p99: number;
  perSecond: number;
}

/** What 400 healthy endpoints notice of the others that hang; the run in which none hangs is the reference. */
export async function measureIsolation(bench: Bench): Promise<Figure[]> {
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  const { crowdRepetitions: repetitions } = bench.settings;
  const runs = new Map<number, Run[]>(hanging.map((hangs) => [hangs, []]));
  try {
    await runOnce(bench, receiver.ready.url, 0, 2);
    for (let repetition = 1; repetition <= repetitions; repetition += 1)
      for (const hangs of balanced(repetition)) {
        bench.say(`isolation: ${hangs / 10} % hang, repetition ${repetition} of ${repetitions}`);
        const run = await runOnce(bench, receiver.ready.url, hangs, bench.settings.steadySeconds);
        runs.get(hangs)?.push(run);
      }
  } finally {
    await receiver.close();
  }
  return hanging.flatMap((hangs) => figuresOf(hangs, runs.get(hangs) as Run[], runs.get(0) as Run[]));
}

/**
 * The runs of a repetition. Over four repetitions each has every place once and follows every other one once: a run meets
 * what those before have left, and those with fewer that hang leave more.
 */
function balanced(repetition: number): number[] {
  return [0, 1, 3, 2].map((place) => hanging[(place + repetition - 1) % hanging.length] as number);
}

async function runOnce(bench: Bench, url: string, hangs: number, seconds: number): Promise<Run> {
  const others = 1_000 - healthy - slow - fails - hangs;
  const crowd = await openEndpointCrowd(bench, url, { healthy, others, slow, fails, hangs });
  await waitUntilIdle(bench);
  await tidy(bench);
  const since = new Date();
  await sendSteadily(crowd, seconds);
  await waitFor(async () => (await crowd.healthyWaiting()) === 0, { deadlineMs: 60_000 });
  const times = (await crowd.healthyTimes(since)).toSorted((one, other) => one - other);
  const expected = (healthy * seconds) / secondsBetween;
  if (times.length < expected) throw new Error(`${times.length} of ${expected} deliveries were attempted`);

  const started = performance.now();
  await crowd.send(crowd.all, burst);
  await waitFor(async () => (await crowd.healthyWaiting()) === 0, { deadlineMs: 120_000, everyMs: 20 });
  const perSecond = (healthy * burst) / ((performance.now() - started) / 1_000);
  // What is left of the others must not be at work during the next run.
  await bench.sql.query(`UPDATE endpoints SET paused_at = now() WHERE id = ANY($1)`, [
    crowd.all.map(({ endpointId }) => endpointId),
  ]);
  await waitUntilIdle(bench);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), perSecond };
}

/** Does what the run before has left to do: else the vacuum or checkpoint of its rows falls into this one by chance. */
async function tidy({ sql }: Bench): Promise<void> {
  await sql.query('VACUUM (ANALYZE) deliveries, attempts, events, endpoints');
  await sql.query('CHECKPOINT');
}

/** Every endpoint gets one delivery in each round, a portion of them at a time. */
async function sendSteadily(crowd: EndpointCrowd, seconds: number): Promise<void> {
  const portions = secondsBetween * portionsPerSecond;
  const began = performance.now();
  for (let sent = 0; sent < seconds * portionsPerSecond; sent += 1) {
    await crowd.send(
      crowd.all.filter((_, index) => index % portions === sent % portions),
      1,
    );
    await setTimeout(Math.max(0, began + ((sent + 1) * 1_000) / portionsPerSecond - performance.now()));
  }
}

function figuresOf(hangs: number, runs: Run[], reference: Run[]): Figure[] {
  const of = (list: Run[], pick: (run: Run) => number) => median(list.map(pick));
  const name = (what: string) => `${what}, ${hangs / 10} % hang`;
  const compare = (pick: (run: Run) => number) =>
    hangs === 0 ? {} : { reference: { name: 'none hangs', value: of(reference, pick) } };
  const rate = (run: Run) => run.perSecond;
  const p99 = (run: Run) => run.p99;
  return [
    {
      section,
      name: name('burst to healthy ones'),
      value: of(runs, rate),
      unit: 'deliveries/s',
      repetitions: runs.map(rate),
      ...compare(rate),
      ...(hangs === 0 ? {} : { goal: { of: 'ratio', atLeast: 0.95 } as const }),
    },
    {
      section,
      name: name('due to answer, p99'),
      value: of(runs, p99),
      unit: 'ms',
      repetitions: runs.map(p99),
      ...compare(p99),
      ...(hangs === 0 ? {} : { goal: { of: 'ratio', atMost: 1.1 } as const }),
    },
    { section, name: name('due to answer, p50'), value: of(runs, (run) => run.p50), unit: 'ms' },
  ];
}

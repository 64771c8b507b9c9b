import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { median, percentile } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { openEndpointGroup } from '../stack/endpoint-group.ts';
import type { EndpointGroup } from '../stack/endpoint-group.ts';
import { openTask } from '../tasks/open-task.ts';

const section = 'Isolation: 400 healthy endpoints among 1,000';
/** Endpoints in a thousand that read a request and never respond. */
const hanging = [0, 10, 100, 500];
const healthy = 400;
const slow = 50;
const fails = 50;
/** Steady load: each endpoint gets one delivery in this number of seconds, in portions. */
const secondsBetween = 2;
const portionsPerSecond = 5;

interface Run {
  p50: number;
  p99: number;
  perSecond: number;
}

/** The effect of endpoints that hang on 400 healthy ones. The reference is the run in which none hangs. */
export async function measureIsolation(bench: Bench): Promise<Figure[]> {
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  const { isolationRepetitions: repetitions } = bench.settings;
  const runs = new Map<number, Run[]>(hanging.map((hangs) => [hangs, []]));
  try {
    await runOnce(bench, receiver.ready.url, 0, 2);
    for (let repetition = 1; repetition <= repetitions; repetition += 1)
      for (const hangs of balanced(repetition)) {
        bench.log(`isolation: ${hangs / 10} % hang, repetition ${repetition} of ${repetitions}`);
        const run = await runOnce(bench, receiver.ready.url, hangs, bench.settings.steadySeconds);
        runs.get(hangs)?.push(run);
      }
  } finally {
    await receiver.close();
  }
  return hanging.flatMap((hangs) => figuresOf(hangs, runs.get(hangs) as Run[], runs.get(0) as Run[]));
}

/**
 * The order of the runs in a repetition (a balanced Latin square): over four repetitions each run has every position
 * once and follows every other run once, because a run is affected by the rows of the previous one.
 */
function balanced(repetition: number): number[] {
  return [0, 1, 3, 2].map((position) => hanging[(position + repetition - 1) % hanging.length] as number);
}

async function runOnce(bench: Bench, url: string, hangs: number, seconds: number): Promise<Run> {
  const others = 1_000 - healthy - slow - fails - hangs;
  const group = await openEndpointGroup(bench, url, { healthy, others, slow, fails, hangs });
  await waitUntilIdle(bench);
  await vacuum(bench);
  const { isolationBurst: burst } = bench.settings;
  const since = new Date();
  await sendSteadily(group, seconds);
  await waitFor(async () => (await group.healthyWaiting()) === 0, { deadlineMs: 60_000 });
  const times = (await group.healthyTimes(since)).toSorted((one, other) => one - other);
  const expected = (healthy * seconds) / secondsBetween;
  if (times.length < expected) throw new Error(`${times.length} of ${expected} deliveries were attempted`);

  const started = performance.now();
  await group.send(group.all, burst);
  await waitFor(async () => (await group.healthyWaiting()) === 0, { deadlineMs: 120_000, everyMs: 20 });
  const perSecond = (healthy * burst) / ((performance.now() - started) / 1_000);
  // The other deliveries of this run must not be sent during the next one.
  await bench.sql.query(`UPDATE endpoints SET paused_at = now() WHERE id = ANY($1)`, [
    group.all.map(({ endpointId }) => endpointId),
  ]);
  await waitUntilIdle(bench);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), perSecond };
}

/** Vacuums and writes a checkpoint now: otherwise those for the rows of the run before might happen in this one. */
async function vacuum({ sql }: Bench): Promise<void> {
  await sql.query('VACUUM (ANALYZE) deliveries, attempts, events, endpoints');
  await sql.query('CHECKPOINT');
}

/** Sends every endpoint one delivery in each round, a portion of the endpoints at a time. */
async function sendSteadily(group: EndpointGroup, seconds: number): Promise<void> {
  const portions = secondsBetween * portionsPerSecond;
  const began = performance.now();
  for (let sent = 0; sent < seconds * portionsPerSecond; sent += 1) {
    await group.send(
      group.all.filter((_, index) => index % portions === sent % portions),
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
      name: name('due to response, p99'),
      value: of(runs, p99),
      unit: 'ms',
      repetitions: runs.map(p99),
      ...compare(p99),
      ...(hangs === 0 ? {} : { goal: { of: 'ratio', atMost: 1.1 } as const }),
    },
    { section, name: name('due to response, p50'), value: of(runs, (run) => run.p50), unit: 'ms' },
  ];
}

import { join } from 'node:path';
import { projectRoot, startStack, workerNames } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';
import { measureContention } from '../measure/contention.ts';
import type { Contention } from '../measure/contention.ts';
import { cpuSeconds } from '../measure/process-usage.ts';
import { median } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { openBench } from '../stack/bench.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';
import { runOrders } from './run-orders.ts';

const section = 'Scale: processor time for 10,000 orders, every member linked, by processes of each worker';
/** The processes whose time depends on the number of workers. */
const groups = ['postgres', 'redis', 'api', ...workerNames];

interface Run {
  /** Processor seconds for 10,000 orders, by group. */
  cpu: Record<string, number>;
  contention: Contention;
  /** Requests to receivers beyond one for each delivery. */
  repeatedDeliveries: number;
}

/**
 * Processor time and contention with several processes of each worker, on servers and data of their own. With all
 * processes on the cores of one machine, throughput would show the machine.
 */
export async function measureScale(bench: Bench): Promise<Figure[]> {
  const counts = bench.settings.scaleCounts;
  const most = Math.max(...counts);
  const byCount = new Map<number, Run[]>();
  for (const count of counts) byCount.set(count, await runWith(bench, count));

  const valueOf = (count: number, read: (run: Run) => number) =>
    median((byCount.get(count) ?? []).map((run) => read(run)));
  const totalOf = ({ cpu }: Run) => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
  const compared = (name: string, read: (run: Run) => number, goal?: Figure['goal']) =>
    counts.map((count): Figure => ({
      section,
      name: `${name}, ${count} process${count === 1 ? '' : 'es'} each`,
      value: valueOf(count, read),
      unit: 's',
      repetitions: (byCount.get(count) ?? []).map((run) => read(run)),
      ...(count === 1
        ? {}
        : { reference: { name: 'with 1', value: valueOf(1, read) }, ...(goal ? { goal } : {}) }),
    }));
  const largest = groups.toSorted(
    (one, other) => valueOf(most, ({ cpu }) => cpu[other] ?? 0) - valueOf(most, ({ cpu }) => cpu[one] ?? 0),
  )[0];
  const share = valueOf(most, ({ cpu }) => cpu[largest ?? ''] ?? 0) / valueOf(most, totalOf);
  const contention = counts.flatMap((count): Figure[] => {
    const inSection = { section: 'Scale: contention for 10,000 orders' };
    const named = (name: string) => `${name}, ${count} process${count === 1 ? '' : 'es'} each`;
    const none = { goal: { of: 'value', atMost: 0 } } as const;
    return [
      {
        ...inSection,
        name: named('connections that wait for a lock, mean'),
        value: valueOf(count, (run) => run.contention.lockWaits),
        unit: '',
      },
      {
        ...inSection,
        name: named('deadlocks'),
        value: valueOf(count, (run) => run.contention.deadlocks),
        unit: '',
        ...none,
      },
      {
        ...inSection,
        name: named('transactions rolled back'),
        value: valueOf(count, (run) => run.contention.rollbacks),
        unit: '',
      },
      {
        ...inSection,
        name: named('commands to Redis'),
        value: valueOf(count, (run) => run.contention.redisCommands),
        unit: '',
      },
      {
        ...inSection,
        name: named('deliveries sent more than once'),
        value: valueOf(count, (run) => run.repeatedDeliveries),
        unit: '',
        ...none,
      },
    ];
  });
  return [
    ...compared('all processes', totalOf, { of: 'ratio', atMost: 1.25 }).map((figure, index) => ({
      ...figure,
      ...(index === 0
        ? {
            note: `with ${most} processes each, ${largest} takes the largest share, ${Math.round(share * 100)} %: it is the first to need more cores`,
          }
        : {}),
    })),
    ...groups.flatMap((group) => compared(group, ({ cpu }) => cpu[group] ?? 0)),
    ...contention,
  ];
}

async function runWith({ settings, log }: Bench, count: number): Promise<Run[]> {
  log(`scale: ${count} process${count === 1 ? '' : 'es'} of each worker`);
  const stack = await startStack({
    dataDir: join(projectRoot, '.local/bench-scale'),
    fresh: true,
    ports: 'auto',
    run: settings.startFrom,
    workers: Object.fromEntries(workerNames.map((name) => [name, count])),
    env: { LOG_LEVEL: 'warn' },
  });
  try {
    const bench = await openBench(stack, settings, log);
    const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
    const webhookUrl = `${receiver.ready.url}/scale`;
    const { orders, repetitions } = settings;
    const once = async (size: number): Promise<Run> => {
      const stop = await measureContention(stack.databaseUrl, bench.redis);
      const [before, postsBefore] = [cpuByGroup(stack), await receiver.call()];
      const deliveriesBefore = await countDeliveries(bench);
      await runOrders(bench, { orders: size, linked: true, webhookUrl });
      await waitUntilIdle(bench);
      const after = cpuByGroup(stack);
      const scale = 10_000 / size;
      const { lockWaits, ...counters } = await stop();
      const posts = (await receiver.call()) - postsBefore;
      return {
        cpu: Object.fromEntries(
          groups.map((group) => [group, ((after[group] ?? 0) - (before[group] ?? 0)) * scale]),
        ),
        contention: {
          lockWaits,
          deadlocks: counters.deadlocks,
          rollbacks: counters.rollbacks,
          redisCommands: counters.redisCommands * scale,
        },
        repeatedDeliveries: posts - ((await countDeliveries(bench)) - deliveriesBefore),
      };
    };
    await once(Math.ceil(orders / 3));
    const runs: Run[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1)
      runs.push(await once(Math.ceil(orders / 2)));
    await receiver.close();
    await bench.close();
    return runs;
  } finally {
    await stack.stop();
  }
}

/** Processor seconds so far; the processes of a worker (`sync-1`, `sync-2`) together. */
function cpuByGroup(stack: Stack): Record<string, number> {
  const seconds: Record<string, number> = {};
  for (const { name, pid } of stack.processes()) {
    const group = name.replace(/-\d+$/, '');
    seconds[group] = (seconds[group] ?? 0) + cpuSeconds(pid);
  }
  return seconds;
}

async function countDeliveries({ sql }: Bench): Promise<number> {
  const { rows } = await sql.query<{ count: number }>('SELECT count(*)::int AS count FROM deliveries');
  return rows[0]?.count ?? 0;
}

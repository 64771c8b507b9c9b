import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase, readWaitingWork } from '@rewardhook/database';
import { runAdmin, startRedis, temporaryFolder } from '@rewardhook/local-stack';
import { median } from '../measure/statistics.ts';
import { openLargeDatabase } from './large-database.ts';

const usage = `Measures how long doctor takes in a large database, and how long the metrics take to read what waits.

Usage: npm run bench:large -- [options]
  --orders N   orders in the database (default 5000000, which take about 11 GB)
  --runs N     runs of each measurement (default 5)
  --full       runs doctor --full true too`;

const log = (line: string) => console.error(`· ${new Date().toISOString().slice(11, 19)} ${line}`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      orders: { type: 'string', default: '5000000' },
      runs: { type: 'string', default: '5' },
      full: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const folder = temporaryFolder();
  const redis = await startRedis({ dir: join(folder.path, 'redis') });
  try {
    const orders = Number(values.orders);
    const large = await openLargeDatabase({ folder: folder.path, orders, fsync: false, log });
    try {
      const environment = { ...large.environment, REDIS_URL: redis.url };
      await measure(environment, { runs: Number(values.runs), full: values.full });
    } finally {
      await large.server.stop();
    }
  } finally {
    await redis.stop();
    folder.remove();
  }
}

/** Prints the seconds of each measurement. */
async function measure(
  environment: Record<string, string>,
  { runs, full }: { runs: number; full: boolean },
): Promise<void> {
  await time('doctor, the process from start to end', runs, () => doctor(environment));
  const database = openDatabase({
    url: environment['DATABASE_URL'] ?? '',
    poolSize: 2,
    applicationName: 'rewardhook-bench',
  });
  await time('waiting work, for the metrics', runs, () => readWaitingWork(database));
  await database.$disconnect();
  if (full) await time('doctor --full true', 1, () => doctor(environment, '--full', 'true'));
}

async function doctor(environment: Record<string, string>, ...options: string[]): Promise<void> {
  const { ok, document, stderr } = await runAdmin(environment, ['doctor', ...options]);
  if (!ok) throw new Error(`doctor: ${JSON.stringify(document)} ${stderr}`);
}

async function time(what: string, runs: number, run: () => Promise<unknown>): Promise<void> {
  const seconds: number[] = [];
  for (let done = 0; done < runs; done += 1) {
    const startedAt = performance.now();
    await run();
    seconds.push((performance.now() - startedAt) / 1_000);
  }
  const shown = seconds.map((one) => one.toFixed(3)).join(', ');
  console.log(`${what}: median ${median(seconds).toFixed(3)} s (${shown})`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

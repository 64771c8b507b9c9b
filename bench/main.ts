import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot, startStack, temporaryFolder } from '@rewardhook/local-stack';
import { usesHugePages } from './measure/huge-pages.ts';
import type { Measured } from './measure/huge-pages.ts';
import type { Figure } from './report/figure.ts';
import { measureStolenTime, readMachine } from './report/machine.ts';
import { tableOf } from './report/print-table.ts';
import { writeResults } from './report/write-results.ts';
import { method } from './report/method.ts';
import { fullGrowth, measureGrowth, quickGrowth } from './sections/growth/growth.ts';
import { defaultSections, longSections, runSections, sectionNames } from './sections/run-sections.ts';
import type { SectionName } from './sections/run-sections.ts';
import { fullRun, quickRun } from './settings.ts';
import type { BenchSettings } from './settings.ts';
import { openBench } from './stack/bench.ts';

const usage = `Measures speed, memory and disk on this machine, beside a naive implementation, bare loops and other libraries.

Usage: npm run bench -- [sections] [options]
  sections     ${defaultSections.join(', ')}; default: all of these
               ${longSections.join(', ')}: minutes each, only when they are named; growth
               fills 25 GB of disk in about 10 minutes first
  --orders N   orders of an end-to-end repetition (default ${fullRun.orders})
  --minutes N  minutes of soak (default ${fullRun.soakMinutes})
  --quick      smaller and less precise; do not quote its figures
  --keep DIR   growth: fill this folder, and use it again in the next run. It must be readable by other users

DATABASE_URL and REDIS_URL, when set, are used instead of servers of its own.
Prints a table and writes bench/results/<time>.json. Logs: .local/bench/logs. The sections are described in
docs/performance.md; npm run bench:document publishes a result there.`;

const log = (line: string) => console.error(`· ${line}`);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      orders: { type: 'string' },
      minutes: { type: 'string' },
      quick: { type: 'boolean', default: false },
      keep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const settings = { ...(values.quick ? quickRun : fullRun) };
  if (values.orders !== undefined) settings.orders = readCount(values.orders);
  if (values.minutes !== undefined) settings.soakMinutes = readMinutes(values.minutes);
  const sections: readonly SectionName[] =
    positionals.length === 0 ? defaultSections : positionals.map(readSection);

  const before = readMachine();
  const stolenTime = measureStolenTime();
  const startedAt = new Date();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const measured: Measured[] = [];
  if (sections.includes('growth')) measured.push(await runGrowth(values.quick, values.keep, stop.signal));
  const onStack = sections.filter((name) => name !== 'growth');
  if (onStack.length > 0) measured.push(await runOnStack(settings, onStack, stop.signal));
  const figures = measured.flatMap((part) => part.figures);

  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1_000);
  const hugePages = measured.every((part) => part.hugePages);
  const machine = { ...before, stolenPercent: stolenTime(), hugePages };
  const results = { startedAt: startedAt.toISOString(), seconds, machine, settings, method, figures };
  console.log(
    `${machine.cores} cores (${machine.processor}), Node ${machine.node}, commit ${machine.commit}${machine.changed ? ' with changes' : ''}, load before ${machine.loadBefore}, PostgreSQL ${hugePages ? 'in huge pages' : 'without huge pages'}, stolen ${machine.stolenPercent ?? 'unknown'} %`,
  );
  console.log(tableOf(figures));
  console.log(`\nHow it was measured:\n${method.map((line) => `  · ${line}`).join('\n')}`);
  console.log(`\nWritten to ${writeResults(results)} after ${seconds} s.`);
}

/** Runs sections on a stack that is started for them. */
async function runOnStack(
  settings: BenchSettings,
  sections: SectionName[],
  signal: AbortSignal,
): Promise<Measured> {
  const stack = await startStack({
    dataDir: join(projectRoot, '.local/bench'),
    fresh: true,
    ports: 'auto',
    databaseUrl: process.env['DATABASE_URL'] || undefined,
    redisUrl: process.env['REDIS_URL'] || undefined,
    // Otherwise a log line for each request would be part of what is measured.
    env: { LOG_LEVEL: 'warn' },
    onProgress: log,
    signal,
  });
  signal.addEventListener('abort', () => void stack.stop().finally(() => process.exit(130)));
  const figures: Figure[] = [];
  try {
    const bench = await openBench(stack, settings, log);
    const hugePages = await usesHugePages(bench.sql);
    await runSections(bench, sections, (measured) => figures.push(...measured)).finally(bench.close);
    const restarted = stack.processes().filter(({ name }) => stack.restarts(name) > 0);
    if (restarted.length > 0)
      throw new Error(`ended unexpectedly during the run: ${restarted.map(({ name }) => name).join(', ')}`);
    return { figures, hugePages };
  } catch (error) {
    // What the sections before the error took minutes to measure.
    if (figures.length > 0) console.log(tableOf(figures));
    throw error;
  } finally {
    await stack.stop();
  }
}

/** Runs the section that has a PostgreSQL of its own, in `keep` or in a folder that is removed at the end. */
async function runGrowth(quick: boolean, keep: string | undefined, signal: AbortSignal): Promise<Measured> {
  const folder = keep === undefined ? temporaryFolder() : { path: resolve(keep), remove: () => undefined };
  signal.addEventListener('abort', () => {
    folder.remove();
    process.exit(130);
  });
  try {
    return await measureGrowth(quick ? quickGrowth : fullGrowth, folder.path, log);
  } finally {
    folder.remove();
  }
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1_000) throw new Error('--orders must be an integer from 1000');
  return count;
}

function readMinutes(text: string): number {
  const minutes = Number(text);
  if (!(minutes >= 1)) throw new Error('--minutes must be a number from 1');
  return minutes;
}

function readSection(text: string): SectionName {
  const known = sectionNames.find((name) => name === text);
  if (!known) throw new Error(`"${text}" is not a section. The sections are ${sectionNames.join(', ')}`);
  return known;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

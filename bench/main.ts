import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot, startStack } from '@rewardhook/local-stack';
import { describeMachine, measureStolenTime } from './report/machine.ts';
import { tableOf } from './report/print-table.ts';
import type { Figure } from './report/figure.ts';
import { defaultSections, runSections, sectionNames } from './sections/run-sections.ts';
import type { SectionName } from './sections/run-sections.ts';
import { fullRun, quickRun } from './settings.ts';
import { openBench } from './stack/bench.ts';

const usage = `Measures speed and memory on this machine, beside a naive implementation and a bare loop.

Usage: npm run bench -- [sections] [options]
  sections     ${defaultSections.join(', ')}; default: all of these, in about 15 minutes
               console: every read of the console for a shop with 10 million orders, in about 40 minutes
  --quick      smaller and less precise; do not quote its figures

DATABASE_URL and REDIS_URL, when set, are used instead of servers of its own.
Prints a table. Logs: .local/bench/logs. docs/performance.md describes the sections and has the published results.`;

const log = (line: string) => console.error(`· ${line}`);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return console.log(usage);
  const sections = positionals.length === 0 ? defaultSections : positionals.map(readSection);
  const machine = describeMachine();
  const stolenTime = measureStolenTime();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const stack = await startStack({
    dataDir: join(projectRoot, '.local/bench'),
    fresh: true,
    ports: 'auto',
    databaseUrl: process.env['DATABASE_URL'] || undefined,
    redisUrl: process.env['REDIS_URL'] || undefined,
    // Otherwise a log line for each request would be part of what is measured.
    env: { LOG_LEVEL: 'warn' },
    onProgress: log,
    signal: stop.signal,
  });
  stop.signal.addEventListener('abort', () => void stack.stop().finally(() => process.exit(130)));
  const figures: Figure[] = [];
  try {
    const bench = await openBench(stack, values.quick ? quickRun : fullRun, log);
    await runSections(bench, sections, (measured) => figures.push(...measured)).finally(bench.close);
    const restarted = stack.processes().filter(({ name }) => stack.restarts(name) > 0);
    if (restarted.length > 0)
      throw new Error(`ended unexpectedly during the run: ${restarted.map(({ name }) => name).join(', ')}`);
  } finally {
    // After an error: what the sections before it took minutes to measure.
    console.log(`${machine}, ${stolenTime()}`);
    console.log(tableOf(figures));
    await stack.stop();
  }
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

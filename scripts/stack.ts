import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseWorkers, projectRoot, stackFiles, startStack } from '@rewardhook/local-stack';
import type { ProcessChange, Stack } from '@rewardhook/local-stack';
import { commandOptions } from './command-options.mjs';
import { watchMailLinks } from './mail-links.ts';
import { patienceUsage, readPatience } from './read-patience.ts';
import { reportProblem } from './report-problem.ts';
import { stackSettings } from './stack-settings.ts';
import { aborted, stopSignal } from './stop-signal.ts';

const usage = `Runs Rewardhook on this machine: PostgreSQL, Redis, and every process, without demo data.

Usage: npm run stack -- [options]
  --fresh            start with empty data
  --ports auto       use free ports; without it: API 3000, dashboard 3001, console 3002, PostgreSQL 54329, Redis 63799
  --workers LIST     how many of each worker, for example sync=2,webhook-delivery=2
                     (sync, reward-evaluation, webhook-delivery, housekeeping; 1 of each without it)
${patienceUsage}

Set DATABASE_URL and REDIS_URL to use existing servers.
Writes .local/stack.json when all processes are ready. Logs: .local/logs. Ctrl-C stops it.`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: commandOptions.stack });
  if (values.help) return console.log(usage);
  const { fresh, ports } = values;
  if (ports !== 'fixed' && ports !== 'auto') throw new Error('--ports: the only value is "auto"');
  const workers = parseWorkers(values.workers);
  const stillMs = readPatience(values['give-up-after']);
  const settings = stackSettings(process.env);
  if (fresh && (settings.databaseUrl || settings.redisUrl)) {
    throw new Error(
      '--fresh does not empty existing servers: unset DATABASE_URL and REDIS_URL, or empty yours',
    );
  }

  const signal = stopSignal();
  const dataDir = join(projectRoot, '.local');
  let writeFiles = () => undefined as void;
  const stack = await startStack({
    dataDir,
    fresh,
    ports,
    workers,
    signal,
    ...settings,
    stillMs,
    onProgress: (line) => console.error(`✓ ${line}`),
    onWaiting: (line) => console.error(`… ${line}`),
    onChange: (change) => {
      printChange(change, signal);
      writeFiles();
    },
  });
  const files = stackFiles(stack, dataDir);
  // From now on the file is updated when a pid changes.
  writeFiles = () => files.write();
  files.write();
  console.log(describe(stack, 'SMTP_URL' in settings.env));
  watchMailLinks(join(dataDir, 'mail'), signal, ({ to, link }) => console.log(`Mail to ${to}: ${link}`));

  await aborted(signal);
  console.error(`\nStopping (${String(signal.reason)}) …`);
  files.remove();
  await stack.stop();
  console.error('Stopped.');
}

function printChange({ name, exit, failed, started }: ProcessChange, signal: AbortSignal): void {
  if (signal.aborted) return;
  if (exit) console.error(`! ${name} exit (${exit.signal ?? `code ${exit.code}`}); restarting`);
  else if (failed) console.error(`! ${name} could not be started; retrying`);
  else if (started && restarted.has(name)) console.error(`✓ ${name} is running again (pid ${started})`);
  restarted.add(name);
}
const restarted = new Set<string>();

function describe(stack: Stack, sendsMail: boolean): string {
  const processes = stack.processes().map(({ name, pid }) => `${name} ${pid}`);
  return `
Rewardhook is running.
  API         ${stack.apiUrl}
  Dashboard   ${stack.dashboardUrl}   login ${stack.dashboardUser} / ${stack.dashboardPassword}
  Console     ${stack.consoleUrl}
  PostgreSQL  ${stack.databaseUrl}
  Redis       ${stack.redisUrl}
  Processes   ${processes.join(', ')}
  Mail        ${sendsMail ? 'sent by SMTP_URL' : 'not sent: its links are printed here, and .local/mail has it'}
  Written to  .local/stack.json; logs in .local/logs
  Operator    npm run admin -- --help
Ctrl-C stops it.`;
}

main().then(() => process.exit(0), reportProblem);

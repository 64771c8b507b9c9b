import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  freePort,
  isPortFree,
  openLogFile,
  projectRoot,
  stackFiles,
  startProcess,
  startStack,
} from '@rewardhook/local-stack';
import type { Exit, ProcessChange, RunningProcess, Stack } from '@rewardhook/local-stack';
import { commandOptions } from './command-options.mjs';
import { fillYear } from './demo/fill-year.ts';
import { openLogin } from './demo/open-login.ts';
import type { DemoLogin } from './demo/open-login.ts';
import { openReceiver, openDemoMerchant } from './demo/open-demo-merchant.ts';
import type { DemoMerchant } from './demo/open-demo-merchant.ts';
import { openPatientAdmin } from './patient-admin.ts';
import { patienceUsage, readPatience } from './read-patience.ts';
import { reportProblem } from './report-problem.ts';
import { stackSettings } from './stack-settings.ts';
import { aborted, stopSignal } from './stop-signal.ts';

const usage = `Runs Rewardhook for development, from the sources: a process restarts when one of its files changes, and the
console's page reloads in the browser.

Usage: npm run dev -- [options]
  --fresh           start with empty data; otherwise the data of the last start is kept
  --inspect NAME    open the debugger of one process on 127.0.0.1:9229: api, sync, reward-evaluation,
                    webhook-delivery, housekeeping, dashboard or console
${patienceUsage}

The first start creates the merchant of the demo, with a year of orders. Logs: .local/dev/logs. Ctrl-C stops it.`;

const print = (line = '') => console.log(line);
const dataDir = join(projectRoot, '.local/dev');
const merchantPath = join(dataDir, 'merchant.json');

/** What the next start needs of the merchant that this one creates. */
interface SavedMerchant extends Omit<DemoMerchant, 'receiver'> {
  receiverPort: number;
  login: DemoLogin;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: commandOptions.dev });
  if (values.help) return print(usage);
  const stillMs = readPatience(values['give-up-after']);
  const signal = stopSignal();
  const pagePort = (await isPortFree(3003)) ? 3003 : await freePort();
  const pageUrl = `http://127.0.0.1:${pagePort}`;
  const settings = stackSettings(process.env);
  const stack = await startStack({
    dataDir,
    fresh: values.fresh,
    ports: 'preferred',
    run: 'watched',
    inspect: values.inspect === undefined ? undefined : { name: values.inspect, port: 9229 },
    ...settings,
    // The console accepts changes only from the origin of its page, which Vite serves here.
    env: { ...settings.env, CONSOLE_PUBLIC_URL: pageUrl },
    signal,
    stillMs,
    onProgress: (line) => print(`✓ ${line}`),
    onWaiting: (line) => print(`… ${line}`),
    onChange: (change) => printExit(change, signal),
  });
  const files = stackFiles(stack, dataDir);
  let page: RunningProcess | undefined;
  let merchant: DemoMerchant | undefined;
  try {
    files.write();
    page = await servePage(stack, pageUrl, pagePort);
    const opened = await openSavedMerchant(stack, values.fresh);
    merchant = opened.merchant;
    print(describe(stack, pageUrl, opened));
    merchant.receiver.onReceived(({ path, event, verified }) =>
      print(`→ ${path} ${event} ${verified ? 'verified' : 'INVALID SIGNATURE'}`),
    );
    await aborted(signal);
    print('\nStopping …');
  } finally {
    files.remove();
    await merchant?.receiver.close();
    await page?.stop();
    await stack.stop();
  }
  print('Stopped.');
}

/** Serves the console's page with Vite, which reloads it on change. */
async function servePage(stack: Stack, pageUrl: string, port: number): Promise<RunningProcess> {
  const log = openLogFile(join(dataDir, 'logs/page.log'));
  const page = await startProcess({
    command: process.execPath,
    args: [join(projectRoot, 'node_modules/vite/bin/vite.js'), '--port', String(port)],
    cwd: join(projectRoot, 'apps/console'),
    env: { ...process.env, CONSOLE_URL: stack.consoleUrl },
    log,
  });
  let exit: Exit | undefined;
  void page.exited.then((how) => (exit = how));
  await stack.waitWhileMoving("the console's page", async (say) => {
    if (exit) return true;
    say(log.tail().split('\n').at(-1) ?? '', 'page');
    return (await fetch(pageUrl)).ok;
  });
  if (exit)
    throw new Error(`the console's page ended (${exit.signal ?? `code ${exit.code}`})\n${log.tail()}`);
  return page;
}

/** Opens the merchant of an earlier start, with its receiver on the port of its webhooks, or creates one. */
async function openSavedMerchant(
  stack: Stack,
  fresh: boolean,
): Promise<{ merchant: DemoMerchant; login: DemoLogin }> {
  if (!fresh && existsSync(merchantPath)) {
    const { login, receiverPort, ...saved } = JSON.parse(readFileSync(merchantPath, 'utf8')) as SavedMerchant;
    return { login, merchant: { ...saved, receiver: await openReceiver(saved.signingSecret, receiverPort) } };
  }
  const admin = openPatientAdmin(stack, 'source');
  const merchant = await openDemoMerchant(admin, stack, print);
  const { login, callConsole } = await openLogin(
    admin,
    stack,
    stack.environment['CONSOLE_PUBLIC_URL'] ?? '',
    merchant.merchantId,
  );
  await fillYear(admin, stack, merchant, callConsole);
  const { receiver, ...saved } = merchant;
  const content: SavedMerchant = { ...saved, login, receiverPort: Number(new URL(receiver.url).port) };
  writeFileSync(merchantPath, JSON.stringify(content, null, 2), { mode: 0o600 });
  return { merchant, login };
}

function printExit({ name, exit }: ProcessChange, signal: AbortSignal): void {
  if (exit && !signal.aborted)
    print(
      `! ${name} ended unexpectedly (${exit.signal ?? `code ${exit.code}`}); restarting. See .local/dev/logs`,
    );
}

function describe(
  stack: Stack,
  pageUrl: string,
  { merchant, login }: { merchant: DemoMerchant; login: DemoLogin },
): string {
  return `
Rewardhook is running from the sources.
  Console     ${pageUrl}   login ${login.email} / ${login.password}
  API         ${stack.apiUrl}   secret key ${merchant.secretKey}
  Dashboard   ${stack.dashboardUrl}   login ${stack.dashboardUser} / ${stack.dashboardPassword}
  PostgreSQL  ${stack.databaseUrl}
  Redis       ${stack.redisUrl}
  Logs        tail -f .local/dev/logs/*.log
  Operator    npm run -s admin -- --help
Ctrl-C stops it. The data is kept for the next start.`;
}

main().then(() => process.exit(0), reportProblem);

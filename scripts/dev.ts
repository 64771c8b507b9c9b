import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  freePort,
  isPortFree,
  openAdmin,
  openLogFile,
  projectRoot,
  stackFiles,
  startProcess,
  startStack,
  waitFor,
} from '@rewardhook/local-stack';
import type { ProcessChange, RunningProcess, Stack } from '@rewardhook/local-stack';
import { fillMonth } from './demo/fill-month.ts';
import { openLogin } from './demo/open-login.ts';
import type { DemoLogin } from './demo/open-login.ts';
import { openReceiver, openShop } from './demo/open-shop.ts';
import type { Shop } from './demo/open-shop.ts';
import { reportProblem } from './report-problem.ts';
import { stackSettings } from './stack-settings.ts';
import { aborted, stopSignal } from './stop-signal.ts';

const usage = `Runs Rewardhook for development, from the sources: a process starts again when one of its files changes, and
the console's page reloads in the browser.

Usage: npm run dev -- [options]
  --fresh           start with empty data; without it the data of the last start stays
  --inspect NAME    let a debugger attach to one process on 127.0.0.1:9229: api, sync, reward-evaluation,
                    webhook-delivery, dashboard or console

The first start makes the shop of the demo, with a month of orders. Logs: .local/dev/logs. Ctrl-C stops it.`;

const say = (line = '') => console.log(line);
const dataDir = join(projectRoot, '.local/dev');
const shopPath = join(dataDir, 'shop.json');

/** What the next start has to know of the shop that this one made. */
interface SavedShop extends Omit<Shop, 'receiver'> {
  receiverPort: number;
  login: DemoLogin;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      fresh: { type: 'boolean', default: false },
      inspect: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(usage);
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
    // The console takes changes from its own page only, and here Vite serves that.
    env: { ...settings.env, CONSOLE_PUBLIC_URL: pageUrl },
    signal,
    onProgress: (line) => say(`✓ ${line}`),
    onChange: (change) => sayDeath(change, signal),
  });
  const files = stackFiles(stack, dataDir);
  let page: RunningProcess | undefined;
  let shop: Shop | undefined;
  try {
    files.write();
    page = await servePage(stack.consoleUrl, pageUrl, pagePort);
    const opened = await openSavedShop(stack, values.fresh);
    shop = opened.shop;
    say(describe(stack, pageUrl, opened));
    shop.receiver.onReceived(({ path, event, verified }) =>
      say(`→ ${path} ${event} ${verified ? 'verified' : 'WRONG SIGNATURE'}`),
    );
    await aborted(signal);
    say('\nStopping …');
  } finally {
    files.remove();
    await shop?.receiver.close();
    await page?.stop();
    await stack.stop();
  }
  say('Stopped.');
}

/** Serves the console's page by Vite, which reloads it on change. */
async function servePage(consoleUrl: string, pageUrl: string, port: number): Promise<RunningProcess> {
  const page = await startProcess({
    command: process.execPath,
    args: [join(projectRoot, 'node_modules/vite/bin/vite.js'), '--port', String(port)],
    cwd: join(projectRoot, 'apps/console'),
    env: { ...process.env, CONSOLE_URL: consoleUrl },
    log: openLogFile(join(dataDir, 'logs/page.log')),
  });
  await waitFor(async () => (await fetch(pageUrl)).ok, { deadlineMs: 30_000, what: "the console's page" });
  return page;
}

/** Opens the shop of an earlier start with its receiver on the port that its webhooks lead to, or makes one. */
async function openSavedShop(stack: Stack, fresh: boolean): Promise<{ shop: Shop; login: DemoLogin }> {
  if (!fresh && existsSync(shopPath)) {
    const { login, receiverPort, ...saved } = JSON.parse(readFileSync(shopPath, 'utf8')) as SavedShop;
    return { login, shop: { ...saved, receiver: await openReceiver(saved.signingSecret, receiverPort) } };
  }
  const admin = openAdmin(stack.environment, 'source');
  const shop = await openShop(admin, stack.apiUrl, say);
  const login = await openLogin(admin, stack.environment['CONSOLE_PUBLIC_URL'] ?? '', shop.merchantId);
  await fillMonth(admin, stack, shop);
  const { receiver, ...saved } = shop;
  const content: SavedShop = { ...saved, login, receiverPort: Number(new URL(receiver.url).port) };
  writeFileSync(shopPath, JSON.stringify(content, null, 2), { mode: 0o600 });
  return { shop, login };
}

function sayDeath({ name, died }: ProcessChange, signal: AbortSignal): void {
  if (died && !signal.aborted)
    say(`! ${name} died (${died.signal ?? `code ${died.code}`}); it is started again. See .local/dev/logs`);
}

function describe(stack: Stack, pageUrl: string, { shop, login }: { shop: Shop; login: DemoLogin }): string {
  return `
Rewardhook runs from the sources.
  Console     ${pageUrl}   login ${login.email} / ${login.password}
  API         ${stack.apiUrl}   secret key ${shop.secretKey}
  Dashboard   ${stack.dashboardUrl}   login ${stack.dashboardUser} / ${stack.dashboardPassword}
  PostgreSQL  ${stack.databaseUrl}
  Redis       ${stack.redisUrl}
  Logs        tail -f .local/dev/logs/*.log
  Operator    npm run -s admin -- --help
Ctrl-C stops it; the data stays for the next start.`;
}

main().then(() => process.exit(0), reportProblem);

import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot, stackFiles, startStack } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';
import { commandOptions } from './command-options.mjs';
import { checkWebhooks, printStages, waitForWebhooks } from './demo/follow-orders.ts';
import { fillYear } from './demo/fill-year.ts';
import { openLogin } from './demo/open-login.ts';
import type { DemoLogin } from './demo/open-login.ts';
import { brokenPath, openDemoMerchant } from './demo/open-demo-merchant.ts';
import type { DemoMerchant } from './demo/open-demo-merchant.ts';
import { sendOrders } from './demo/send-orders.ts';
import { openPatientAdmin } from './patient-admin.ts';
import { patienceUsage, readPatience } from './read-patience.ts';
import { reportProblem } from './report-problem.ts';
import { stackSettings } from './stack-settings.ts';
import { aborted, stopSignal } from './stop-signal.ts';

const usage = `Demonstrates Rewardhook: starts everything, creates a merchant, sends orders and receives the webhooks.

Usage: npm run demo -- [options]
  --once             stop afterwards; exit code 0 only when all webhooks arrived with a valid signature
  --data FOLDER      the folder of its data and logs; default .local/demo
${patienceUsage}

Set DATABASE_URL and REDIS_URL to use existing servers. Logs: .local/demo/logs.`;

const print = (line = '') => console.log(line);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: commandOptions.demo });
  if (values.help) return print(usage);
  const stillMs = readPatience(values['give-up-after']);
  const dataDir = resolve(values.data ?? join(projectRoot, '.local/demo'));
  const signal = stopSignal();
  print('\n1. Start everything');
  const stack = await startStack({
    dataDir,
    fresh: true,
    ports: 'preferred',
    ...stackSettings(process.env),
    signal,
    stillMs,
    onProgress: (line) => print(`  ✓ ${line}`),
    onWaiting: (line) => print(`  … ${line}`),
  });
  const files = stackFiles(stack, dataDir);
  let merchant: DemoMerchant | undefined;
  const stop = async () => {
    files.remove();
    await merchant?.receiver.close();
    await stack.stop();
  };
  try {
    files.write();
    const admin = openPatientAdmin(stack);
    print('\n2. Create a merchant with two webhook URLs, where jisu has referred minsu');
    merchant = await openDemoMerchant(admin, stack, print);
    const { login, callConsole } = await openLogin(admin, stack, stack.consoleUrl, merchant.merchantId);
    if (!values.once) {
      print('\n3. Add a year of orders for the console, and a webhook that fails');
      await fillYear(admin, stack, merchant, callConsole);
    }
    await showOrders(stack, merchant, values.once ? 3 : 4);
    if (!values.once) {
      print(invitation(stack, merchant, login, dataDir));
      merchant.receiver.onReceived((webhook) => {
        if (webhook.path === brokenPath) return;
        print(`→ ${webhook.path} ${webhook.event} ${webhook.verified ? 'verified' : 'INVALID SIGNATURE'}`);
      });
      await aborted(signal);
      print('\nStopping …');
    }
  } finally {
    await stop();
  }
  print('Stopped.');
}

async function showOrders(stack: Stack, merchant: DemoMerchant, step: number): Promise<void> {
  print(`\n${step}. Send 5 orders to POST /api/open/orders/sync/ and follow them (times since the request)`);
  const sent = await sendOrders(stack, merchant);
  await waitForWebhooks(stack, merchant, sent);
  await printStages(stack, merchant, sent, print);
  const checked = await checkWebhooks(stack, merchant, sent);
  print(`\n✓ All ${checked} webhooks arrived with a valid signature.`);
}

function invitation(stack: Stack, merchant: DemoMerchant, login: DemoLogin, dataDir: string): string {
  const order = {
    order_id: 'A-2001',
    member_id: 'minsu',
    order_amount: 9000,
    paid_amount: 9000,
    shipping_amount: 0,
  };
  const body = JSON.stringify({ orders: [{ ...order, order_date: new Date().toISOString() }] });
  return `
It keeps running. Try it:
  Console     ${stack.consoleUrl}   login ${login.email} / ${login.password}
  API         ${stack.apiUrl}
  Dashboard   ${stack.dashboardUrl}   login ${stack.dashboardUser} / ${stack.dashboardPassword}
  Mail        ${relative(process.cwd(), join(dataDir, 'mail'))} (mails are written there, not sent)
  Receiver    ${merchant.webhookUrls.join('  ')}
  PostgreSQL  ${stack.databaseUrl}
  Redis       ${stack.redisUrl}

  curl -i ${stack.apiUrl}/api/open/orders/sync/ -H 'X-Service-Key: ${merchant.secretKey}' \\
    -H 'Content-Type: application/json' -d '${body}'
  npm run -s admin -- order show --merchant ${merchant.merchantId} --order A-1002

Ctrl-C stops it.`;
}

main().then(() => process.exit(0), reportProblem);

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAdmin, projectRoot, stackFiles, startStack } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/local-stack';
import { checkWebhooks, printStages, waitForWebhooks } from './demo/follow-orders.ts';
import { fillMonth } from './demo/fill-month.ts';
import { openLogin } from './demo/open-login.ts';
import type { DemoLogin } from './demo/open-login.ts';
import { brokenPath, openDemoMerchant } from './demo/open-demo-merchant.ts';
import type { DemoMerchant } from './demo/open-demo-merchant.ts';
import { sendOrders } from './demo/send-orders.ts';
import { reportProblem } from './report-problem.ts';
import { stackSettings } from './stack-settings.ts';
import { aborted, stopSignal } from './stop-signal.ts';

const usage = `Demonstrates Rewardhook: starts everything, creates a merchant, sends orders and receives the webhooks.

Usage: npm run demo -- [options]
  --once   stop afterwards; exit code 0 only when all webhooks arrived with a valid signature

Set DATABASE_URL and REDIS_URL to use existing servers. Logs: .local/demo/logs.`;

const print = (line = '') => console.log(line);
const dataDir = join(projectRoot, '.local/demo');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { once: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return print(usage);
  const signal = stopSignal();
  print('\n1. Start everything');
  const stack = await startStack({
    dataDir,
    fresh: true,
    ports: 'preferred',
    ...stackSettings(process.env),
    signal,
    onProgress: (line) => print(`  ✓ ${line}`),
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
    const admin = openAdmin(stack.environment);
    merchant = await show(stack, admin);
    const login = await openLogin(admin, stack.consoleUrl, merchant.merchantId);
    if (!values.once) {
      print('\n4. Add a month of orders for the console, and a webhook that fails');
      await fillMonth(admin, stack, merchant);
      print(invitation(stack, merchant, login));
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

async function show(stack: Stack, admin: Admin): Promise<DemoMerchant> {
  print('\n2. Create a merchant with two webhook URLs, where jisu has referred minsu');
  const merchant = await openDemoMerchant(admin, stack.apiUrl, print);
  print('\n3. Send 5 orders to POST /api/open/orders/sync/ and follow them (times since the request)');
  const sent = await sendOrders(stack.apiUrl, merchant);
  await waitForWebhooks(merchant);
  await printStages(admin, merchant, sent, print);
  await checkWebhooks(admin, merchant);
  print(`\n✓ All ${merchant.receiver.received.length} webhooks arrived with a valid signature.`);
  return merchant;
}

function invitation(stack: Stack, merchant: DemoMerchant, login: DemoLogin): string {
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
  Mail        .local/demo/mail (mails are written there, not sent)
  Receiver    ${merchant.webhookUrls.join('  ')}
  PostgreSQL  ${stack.databaseUrl}
  Redis       ${stack.redisUrl}

  curl -i ${stack.apiUrl}/api/open/orders/sync/ -H 'X-Service-Key: ${merchant.secretKey}' \\
    -H 'Content-Type: application/json' -d '${body}'
  npm run -s admin -- order show --merchant ${merchant.merchantId} --order A-1002

Ctrl-C stops it.`;
}

main().then(() => process.exit(0), reportProblem);

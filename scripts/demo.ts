import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAdmin, projectRoot, stackFiles, startStack } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/local-stack';
import { checkWebhooks, tellStages, waitForWebhooks } from './demo/follow-orders.ts';
import { fillMonth } from './demo/fill-month.ts';
import { openLogin } from './demo/open-login.ts';
import type { DemoLogin } from './demo/open-login.ts';
import { brokenPath, openShop } from './demo/open-shop.ts';
import type { Shop } from './demo/open-shop.ts';
import { sendOrders } from './demo/send-orders.ts';
import { reportProblem } from './report-problem.ts';
import { stackSettings } from './stack-settings.ts';
import { aborted, stopSignal } from './stop-signal.ts';

const usage = `Shows Rewardhook at work: starts everything, makes a shop, sends orders, receives the webhooks.

Usage: npm run demo -- [options]
  --once   stop when it is shown; exit code 0 only if all webhooks arrived and their signatures are right

DATABASE_URL and REDIS_URL, when set, are used instead of servers of its own. Logs: .local/demo/logs.`;

const say = (line = '') => console.log(line);
const dataDir = join(projectRoot, '.local/demo');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { once: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return say(usage);
  const signal = stopSignal();
  say('\n1. Start everything');
  const stack = await startStack({
    dataDir,
    fresh: true,
    ports: 'preferred',
    ...stackSettings(process.env),
    signal,
    onProgress: (line) => say(`  ✓ ${line}`),
  });
  const files = stackFiles(stack, dataDir);
  let shop: Shop | undefined;
  const stop = async () => {
    files.remove();
    await shop?.receiver.close();
    await stack.stop();
  };
  try {
    files.write();
    const admin = openAdmin(stack.environment);
    shop = await show(stack, admin);
    const login = await openLogin(admin, stack.consoleUrl, shop.merchantId);
    if (!values.once) {
      say('\n4. Give the shop a month of orders to look at in the console, and a webhook that fails');
      await fillMonth(admin, stack, shop);
      say(invitation(stack, shop, login));
      shop.receiver.onReceived((webhook) => {
        if (webhook.path === brokenPath) return;
        say(`→ ${webhook.path} ${webhook.event} ${webhook.verified ? 'verified' : 'WRONG SIGNATURE'}`);
      });
      await aborted(signal);
      say('\nStopping …');
    }
  } finally {
    await stop();
  }
  say('Stopped.');
}

async function show(stack: Stack, admin: Admin): Promise<Shop> {
  say('\n2. Make a shop, with two webhook URLs, where jisu has brought minsu');
  const shop = await openShop(admin, stack.apiUrl, say);
  say('\n3. Send 5 orders to POST /api/open/orders/sync/, and follow them (times from the request on)');
  const sent = await sendOrders(stack.apiUrl, shop);
  await waitForWebhooks(shop);
  await tellStages(admin, shop, sent, say);
  await checkWebhooks(admin, shop);
  say(`\n✓ All ${shop.receiver.received.length} webhooks arrived, each with the right signature.`);
  return shop;
}

function invitation(stack: Stack, shop: Shop, login: DemoLogin): string {
  const order = {
    order_id: 'A-2001',
    member_id: 'minsu',
    order_amount: 9000,
    paid_amount: 9000,
    shipping_amount: 0,
  };
  const body = JSON.stringify({ orders: [{ ...order, order_date: new Date().toISOString() }] });
  return `
It stays up. Try it:
  Console     ${stack.consoleUrl}   login ${login.email} / ${login.password}
  API         ${stack.apiUrl}
  Dashboard   ${stack.dashboardUrl}   login ${stack.dashboardUser} / ${stack.dashboardPassword}
  Mail        .local/demo/mail (written there, not sent)
  Receiver    ${shop.webhookUrls.join('  ')}
  PostgreSQL  ${stack.databaseUrl}
  Redis       ${stack.redisUrl}

  curl -i ${stack.apiUrl}/api/open/orders/sync/ -H 'X-Service-Key: ${shop.secretKey}' \\
    -H 'Content-Type: application/json' -d '${body}'
  npm run -s admin -- order show --merchant ${shop.merchantId} --order A-1002

Ctrl-C stops it.`;
}

main().then(() => process.exit(0), reportProblem);

import { join } from 'node:path';
import type { Order } from '@rewardhook/contract';
import { addWebhook, ageOrders, buildItem, buildOrder, readProgress } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/local-stack';
import { callPatiently } from './call-patiently.ts';
import { brokenPath } from './open-demo-merchant.ts';
import type { DemoMerchant } from './open-demo-merchant.ts';

/** The members are linked after their orders. */
const ruleFile = join(import.meta.dirname, 'rule.json');

const orders = 200;
const referrers = ['jisu', 'sora', 'daniel', 'yuna', 'hyun', 'mina'];
const dayMs = 86_400_000;

/**
 * Adds a month of orders: of new customers, of returning ones and of some without a referrer, with unpaid, cancelled and
 * returned orders among them. The last orders also go to a third webhook URL, whose receiver responds with 500.
 */
export async function fillMonth(admin: Admin, stack: Stack, merchant: DemoMerchant): Promise<void> {
  await admin('program', 'publish', '--merchant', merchant.merchantId, '--program', ruleFile);
  const numbers = Array.from({ length: orders }, (_, number) => number);
  for (const number of numbers.filter(isNewCustomer))
    await post(stack, merchant, '/api/open/members/link/', {
      referrer_member_id: referrers[number % referrers.length],
      referee_member_id: `customer-${number}`,
    });
  const placed = numbers.map(buildDemoOrder);
  const late = placed.splice(-30);
  await sendAndSettle(stack, merchant, placed);
  const broken = await addWebhook(admin, merchant.merchantId, merchant.receiver.url + brokenPath);
  // In a second request, so that their rewards are revoked.
  const undone = placed
    .filter((_, number) => number % 9 === 0)
    .map((order, index) => {
      const at = new Date(Math.min(Date.parse(order.order_date) + dayMs, Date.now())).toISOString();
      return { ...order, [index % 2 === 0 ? 'cancelled_at' : 'returned_at']: at };
    });
  await sendAndSettle(stack, merchant, [...undone, ...late], broken);
  await stack.waitWhileMoving('the dates of the orders', async () => {
    await ageOrders(stack.databaseUrl, merchant.merchantId);
    return true;
  });
}

/** Of five orders three are of new customers, one is of a returning customer and one of a customer without a referrer. */
const isNewCustomer = (number: number) => number % 5 < 3;

function memberOf(number: number): string {
  if (isNewCustomer(number)) return `customer-${number}`;
  return number % 5 === 3 ? `customer-${Math.floor(number / 10) * 5}` : `visitor-${number}`;
}

/** The order with this number. Recent days have more orders than earlier ones. */
function buildDemoOrder(number: number): Order {
  const age = 30 * dayMs * (1 - number / orders) ** 1.3 + ((number * 7_919) % 3_600) * 1_000;
  const date = new Date(Date.now() - age - 60_000).toISOString();
  const price = 5_000 + ((number * 37) % 40) * 1_000;
  return buildOrder({
    order_id: `B-${1_000 + number}`,
    member_id: memberOf(number),
    order_amount: price,
    paid_amount: price + 3_000,
    order_date: date,
    paid_at: number % 13 === 0 ? null : date,
    items: [buildItem({ quantity: 1, price, paid_amount: price })],
  });
}

async function sendAndSettle(
  stack: Stack,
  merchant: DemoMerchant,
  batch: Order[],
  brokenWebhook?: string,
): Promise<void> {
  await post(stack, merchant, '/api/open/orders/sync/', { orders: batch });
  await waitUntilSettled(stack, merchant, batch, brokenWebhook);
}

async function post(stack: Stack, merchant: DemoMerchant, path: string, body: unknown): Promise<void> {
  const headers = { 'x-service-key': merchant.secretKey };
  const what = `the API to accept the month of the demo (${path})`;
  const response = await callPatiently(stack, what, stack.apiUrl + path, { headers, body });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

/** Waits until the orders of a batch are stored and evaluated, and the webhooks are sent; of the broken one, that it was tried. */
async function waitUntilSettled(
  stack: Stack,
  { merchantId, receiver: { received } }: DemoMerchant,
  batch: Order[],
  brokenWebhook: string | undefined,
): Promise<void> {
  const orderIds = batch.map(({ order_id }) => order_id);
  await stack.waitWhileMoving('the month of the demo', async (say) => {
    const { stored, due, pending } = await readProgress(stack.databaseUrl, merchantId, {
      orderIds,
      exceptWebhook: brokenWebhook,
    });
    const behind = stored < batch.length ? 'sync' : due > 0 ? 'reward-evaluation' : 'webhook-delivery';
    say(
      `${stored} of ${batch.length} orders stored, ${due} to evaluate, ${pending} webhooks to send, ${received.length} received`,
      behind,
    );
    const isTried = brokenWebhook === undefined || received.some(({ path }) => path === brokenPath);
    return stored === batch.length && due === 0 && pending === 0 && isTried;
  });
}

import { join } from 'node:path';
import type { Order } from '@rewardhook/contract';
import { addWebhook, ageOrders, buildItem, buildOrder, waitFor } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/local-stack';
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
  await sendAndSettle(admin, stack, merchant, placed);
  await addWebhook(admin, merchant.merchantId, merchant.receiver.url + brokenPath);
  // In a second request, so that their rewards are revoked.
  const undone = placed
    .filter((_, number) => number % 9 === 0)
    .map((order, index) => {
      const at = new Date(Math.min(Date.parse(order.order_date) + dayMs, Date.now())).toISOString();
      return { ...order, [index % 2 === 0 ? 'cancelled_at' : 'returned_at']: at };
    });
  await sendAndSettle(admin, stack, merchant, [...undone, ...late]);
  await ageOrders(stack.databaseUrl, merchant.merchantId);
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
  admin: Admin,
  stack: Stack,
  merchant: DemoMerchant,
  batch: Order[],
): Promise<void> {
  await post(stack, merchant, '/api/open/orders/sync/', { orders: batch });
  await waitUntilSettled(admin, merchant, batch.at(-1)?.order_id ?? '');
}

async function post(stack: Stack, merchant: DemoMerchant, path: string, body: unknown): Promise<void> {
  const send = async () => {
    const response = await fetch(stack.apiUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': merchant.secretKey },
      body: JSON.stringify(body),
    });
    if (response.status >= 500) throw new Error(`${path} answered ${response.status}`);
    return response;
  };
  // With `npm run dev` the API may restart at any moment.
  const response = await waitFor(send, {
    deadlineMs: 30_000,
    what: 'the API to accept the data of the demo',
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

/** Waits until the last order of a batch is stored, all are evaluated, and the webhooks are sent. */
async function waitUntilSettled(
  admin: Admin,
  { merchantId, receiver }: DemoMerchant,
  lastOrder: string,
): Promise<void> {
  const wait = { deadlineMs: 60_000, everyMs: 250, what: 'the month of the demo' };
  await waitFor(() => admin('order', 'show', '--merchant', merchantId, '--order', lastOrder), wait);
  let received = -1;
  await waitFor(async () => {
    const { backlog } = await admin<{ backlog: Record<string, number> }>('doctor');
    const quiet = received === receiver.received.length;
    received = receiver.received.length;
    return backlog['evaluationsDue'] === 0 && quiet;
  }, wait);
}

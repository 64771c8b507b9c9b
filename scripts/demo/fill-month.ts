import type { Order } from '@rewardhook/contract';
import { ageOrders, buildItem, buildOrder, waitFor } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/local-stack';
import { brokenPath } from './open-shop.ts';
import type { Shop } from './open-shop.ts';

const orders = 200;
const referrers = ['jisu', 'sora', 'daniel', 'yuna', 'hyun', 'mina'];
const dayMs = 86_400_000;

/**
 * Gives the shop a month to look at: orders of new and of returning customers and of some who nobody brought, unpaid,
 * cancelled and returned ones among them; lately also a third webhook URL, whose receiver answers with 500.
 */
export async function fillMonth(admin: Admin, stack: Stack, shop: Shop): Promise<void> {
  const numbers = Array.from({ length: orders }, (_, number) => number);
  for (const number of numbers.filter(isNewCustomer))
    await post(stack, shop, '/api/open/members/link/', {
      referrer_member_id: referrers[number % referrers.length],
      referee_member_id: `customer-${number}`,
    });
  const placed = numbers.map(place);
  const late = placed.splice(-30);
  await sendAndSettle(admin, stack, shop, placed);
  const broken = shop.receiver.url + brokenPath;
  const types = 'reward.issue,reward.revoke';
  await admin('webhook', 'add', '--merchant', shop.merchantId, '--url', broken, '--events', types);
  // Afterwards, so that what was given for them is taken back.
  const undone = placed
    .filter((_, number) => number % 9 === 0)
    .map((order, index) => {
      const at = new Date(Math.min(Date.parse(order.order_date) + dayMs, Date.now())).toISOString();
      return { ...order, [index % 2 === 0 ? 'cancelled_at' : 'returned_at']: at };
    });
  await sendAndSettle(admin, stack, shop, [...undone, ...late]);
  await ageOrders(stack.databaseUrl, shop.merchantId);
}

/** Of five orders three are of somebody new, one of somebody who was here before, one of somebody nobody brought. */
const isNewCustomer = (number: number) => number % 5 < 3;

function memberOf(number: number): string {
  if (isNewCustomer(number)) return `customer-${number}`;
  return number % 5 === 3 ? `customer-${Math.floor(number / 10) * 5}` : `visitor-${number}`;
}

/** The order of this number: more of them lately, at all hours, of customers who come again. */
function place(number: number): Order {
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

async function sendAndSettle(admin: Admin, stack: Stack, shop: Shop, batch: Order[]): Promise<void> {
  await post(stack, shop, '/api/open/orders/sync/', { orders: batch });
  await waitUntilSettled(admin, shop, batch.at(-1)?.order_id ?? '');
}

async function post(stack: Stack, shop: Shop, path: string, body: unknown): Promise<void> {
  const response = await fetch(stack.apiUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': shop.secretKey },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

/** Waits until the last order of a batch is stored, all are judged, and the webhooks have gone out. */
async function waitUntilSettled(
  admin: Admin,
  { merchantId, receiver }: Shop,
  lastOrder: string,
): Promise<void> {
  const wait = { deadlineMs: 60_000, everyMs: 250, what: 'the month of the demo' };
  await waitFor(() => admin('order', 'show', '--merchant', merchantId, '--order', lastOrder), wait);
  let received = -1;
  await waitFor(async () => {
    const { backlog } = await admin<{ backlog: Record<string, number> }>('doctor');
    const quiet = received === receiver.received.length;
    received = receiver.received.length;
    return backlog['judgementsDue'] === 0 && quiet;
  }, wait);
}

import { buildOrder } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';
import { callPatiently } from './call-patiently.ts';
import type { DemoMerchant } from './open-demo-merchant.ts';

/** An order of the demo, and what it demonstrates. */
interface DemoOrder {
  orderId: string;
  about: string;
}

/** The request and its response. */
export interface SentOrders {
  orders: DemoOrder[];
  sentAt: number;
  answeredMs: number;
  answer: string;
}

/** Posts a batch of orders to the public API, in one request. @throws when the answer is not 202 */
export async function sendOrders(stack: Stack, merchant: DemoMerchant): Promise<SentOrders> {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const order = (orderId: string, memberId: string, minutes: number, more: object = {}) =>
    buildOrder({
      order_id: orderId,
      member_id: memberId,
      order_date: minutesAgo(minutes),
      paid_at: minutesAgo(minutes - 1),
      ...more,
    });
  const { referrer, referee } = merchant;
  const batch = [
    { about: `${referee} has not paid it`, order: order('A-1001', referee, 40, { paid_at: null }) },
    { about: `${referee}'s first paid order`, order: order('A-1002', referee, 30, { first_order: true }) },
    { about: `${referee}'s second paid order`, order: order('A-1003', referee, 20) },
    { about: `${referrer} has no referrer`, order: order('A-1004', referrer, 10) },
    { about: 'a member without a referral', order: order('A-1005', 'hana', 5) },
  ];
  const sentAt = Date.now();
  const response = await callPatiently(
    stack,
    'the API to accept the orders',
    `${stack.apiUrl}/api/open/orders/sync/`,
    { headers: { 'x-service-key': merchant.secretKey }, body: { orders: batch.map((one) => one.order) } },
  );
  const answer = `${response.status} ${await response.text()}`;
  if (response.status !== 202) throw new Error(`The API did not accept the orders: ${answer}`);
  const orders = batch.map(({ about, order: { order_id } }) => ({ orderId: order_id, about }));
  return { orders, sentAt, answeredMs: Date.now() - sentAt, answer };
}

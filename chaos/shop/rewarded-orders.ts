import { setTimeout } from 'node:timers/promises';
import { makeOrder } from './make-order.ts';
import type { Shop, ShopWebhook } from './open-shop.ts';

/** How long webhooks are waited for, in milliseconds: longer than a breaker needs to open and close twice. */
const acceptedWithinMs = 45_000;

/** Sends first orders of members who were referred, in one request. Each earns two rewards, so each webhook gets two events of it. */
export async function sendRewardedOrders(shop: Shop, prefix: string, number: number): Promise<void> {
  const members = Array.from({ length: number }, (_, index) => `${prefix}-${index}`);
  await Promise.all(members.map((member) => shop.link(member, `${member}-referrer`)));
  await shop.syncUntilAccepted(members.map((id) => makeOrder({ order_id: `${id}-1`, member_id: id })));
}

/** Waits until a receiver has answered a number of deliveries with 2xx, but not for long: whether every delivery arrives is a check. */
export async function waitForAccepted({ receiver }: ShopWebhook, number: number): Promise<void> {
  const end = performance.now() + acceptedWithinMs;
  while (receiver.accepted.size < number && performance.now() < end) await setTimeout(20);
}

/** Lets every webhook of a shop succeed: a URL that has never done so gets one request per second. */
export async function warmUp(shop: Shop, prefix: string): Promise<void> {
  const before = shop.webhooks.map(({ receiver }) => receiver.accepted.size);
  await sendRewardedOrders(shop, `${prefix}-warm`, 1);
  await Promise.all(shop.webhooks.map((one, index) => waitForAccepted(one, (before[index] ?? 0) + 2)));
}

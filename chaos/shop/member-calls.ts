import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import type { Answer, ApiClient } from './call-api.ts';
import type { ObservedExplanation, ObservedOrder, ObservedReward } from './observe-shop.ts';

/** A shop, or the test side of one. */
type Client = Pick<ApiClient, 'call' | 'repeat'>;

/** How long an order may take to be stored, in milliseconds: longer than any fault holds it up. */
const storedWithinMs = 40_000;

/** How long a decision, or a reward, is waited for, in milliseconds. */
const decidedWithinMs = 25_000;

/** Moves the link of a referee to another referrer, once for the key. Resolves with the last answer, also one that refuses it. */
export function moveLink(client: Client, referee: string, referrer: string, key: string): Promise<Answer> {
  return client.repeat({
    call: 'move-link',
    path: '/api/open/members/move-link/',
    idempotencyKey: key,
    body: { referee_member_id: referee, referrer_member_id: referrer, reason: 'chaos' },
  });
}

/** Merges a member into another one, once for the key, as soon as no order of theirs is due. Resolves with the last answer. */
export function mergeMember(client: Client, from: string, into: string, key: string): Promise<Answer> {
  return client.repeat(mergeCall(from, into, key), { tooEarly: ['orders_due'] });
}

/** The call that merges a member into another one. */
export const mergeCall = (from: string, into: string, key: string) => ({
  call: 'merge',
  path: '/api/open/members/merge/',
  idempotencyKey: key,
  body: { from_member_id: from, into_member_id: into, reason: 'chaos' },
});

/** Reads something of the shop; undefined when it does not exist. */
export async function readOne<T>(client: Client, path: string): Promise<T | undefined> {
  const { outcome, body } = await client.repeat({ call: 'read', path });
  return outcome === 'ok' ? (body as { data: T }).data : undefined;
}

/** Reads an order; undefined while it is not stored. */
export const readOrder = (client: Client, orderId: string): Promise<ObservedOrder | undefined> =>
  readOne(client, `/api/open/orders/${encodeURIComponent(orderId)}/`);

/** Waits until an order is stored, in a state that fits. */
export function waitUntilStored(
  client: Client,
  orderId: string,
  fits: (order: ObservedOrder) => boolean = () => true,
): Promise<ObservedOrder> {
  return waitFor(
    async () => {
      const order = await readOrder(client, orderId);
      return order && fits(order) ? order : undefined;
    },
    { deadlineMs: storedWithinMs, everyMs: 30, what: `order ${orderId} to be stored` },
  );
}

/** Reads why an order earned a reward or none; undefined while it is not stored. */
export const readReason = (client: Client, orderId: string): Promise<ObservedExplanation | undefined> =>
  readOne(client, `/api/open/orders/${encodeURIComponent(orderId)}/explain/`);

/**
 * Waits until an order has a decision about its newest state, but not for long: whether every order gets one is a check. Returns its
 * reason; undefined when there is none in time.
 */
export async function waitUntilDecided(client: Client, orderId: string): Promise<string | undefined> {
  for (const end = performance.now() + decidedWithinMs; performance.now() < end; await setTimeout(50)) {
    const explained = await readReason(client, orderId);
    if (explained?.stored_decision && !explained.waits_for_evaluation) return explained.decision.reason;
  }
  return undefined;
}

/** Waits until the rewards of an order are what a scenario needs, but not for long. Returns them. */
export async function waitForRewards(
  client: Client,
  orderId: string,
  fit: (rewards: ObservedReward[]) => boolean,
): Promise<ObservedReward[]> {
  const path = `/api/open/rewards/?order_id=${encodeURIComponent(orderId)}`;
  for (const end = performance.now() + decidedWithinMs; ; await setTimeout(50)) {
    const rewards = (await readOne<{ rewards: ObservedReward[] }>(client, path))?.rewards ?? [];
    if (fit(rewards) || performance.now() > end) return rewards;
  }
}

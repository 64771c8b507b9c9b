import { setTimeout } from 'node:timers/promises';
import type { Merchant } from '../open-merchant.ts';
import { openRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { formerIdOf, openOrderSource, referees, referrerOf, referrers } from './make-orders.ts';
import { sendUntilAccepted } from './send-until-accepted.ts';
import type { ApiCall, Traffic } from './send-until-accepted.ts';

export interface LoadOptions {
  apiUrl: string;
  merchants: Merchant[];
  seed: number;
  /** Concurrent senders for each merchant. */
  senders: number;
  ordersPerRequest: number;
  /** Pause of a sender between two requests, in milliseconds. */
  pauseMs: number;
}

/** Requests that are sent until the load is stopped. */
export interface Load {
  traffic: Traffic;
  /** Resolves when the last request is accepted. @throws when a response broke the contract */
  stop(): Promise<void>;
}

/**
 * Starts the load. Every merchant sends the same order ids with different contents. Meanwhile it links members, and people give rewards,
 * move links and merge members. Each correction is sent twice at once, and is made once.
 */
export function startLoad(options: LoadOptions): Load {
  const { apiUrl, merchants, senders, ordersPerRequest, pauseMs } = options;
  const traffic: Traffic = { accepted: 0, orders: 0, slowestMs: 0 };
  const call = (path: string, key: string, body: object, more: Partial<ApiCall> = {}) =>
    sendUntilAccepted({ url: apiUrl + path, key, body, ...more }, traffic);
  /** Sent twice at once, as by an impatient click. */
  const correct = (path: string, key: string, body: object, more: Partial<ApiCall>) =>
    Promise.all([1, 2].map(() => call(path, key, body, more)));
  const stopping = new AbortController();

  const sendOrders = async (merchant: Merchant, source: ReturnType<typeof openOrderSource>) => {
    const orders = source.next(ordersPerRequest);
    await call('/api/open/orders/sync/', merchant.secretKey, { orders });
    // A state with an `updated_at` is older than the one that was accepted before.
    for (const order of orders)
      if (order.updated_at === null) merchant.accepted.orders.set(order.order_id, order);
    traffic.orders += orders.length;
  };
  const linkNext = async ({ secretKey, accepted }: Merchant) => {
    const referee = referees.find((one) => !accepted.links.has(one));
    if (!referee) return;
    const referrer = referrerOf(referee);
    const body = { referee_member_id: referee, referrer_member_id: referrer };
    await call('/api/open/members/link/', secretKey, body);
    accepted.links.set(referee, referrer);
  };
  /** A person gives the referrer of an order's member a reward. */
  const grantNext = async ({ secretKey, accepted }: Merchant, random: Random) => {
    const ofReferees = [...accepted.orders.values()].filter(({ member_id: id }) => accepted.links.has(id));
    if (ofReferees.length === 0) return;
    const { order_id: orderId, member_id: referee } = random.pick(ofReferees);
    const referrer = accepted.links.get(referee) ?? '';
    const key = `grant-${accepted.grants.size + 1}`;
    const amount = random.integer(1, 500);
    const body = { role: 'referrer', amount, reason: 'Promised by support', another: true };
    const path = `/api/open/orders/${encodeURIComponent(orderId)}/rewards/`;
    await correct(path, secretKey, body, { idempotencyKey: key, tooEarly: ['not_found'] });
    accepted.grants.set(key, { referee, referrer, orderId, amount });
  };
  /** A person gives a referee another referrer. */
  const moveNext = async ({ secretKey, accepted }: Merchant, random: Random) => {
    const referee = random.pick([...accepted.links.keys()]);
    const referrer = random.pick(referrers.filter((one) => one !== accepted.links.get(referee)));
    const body = {
      referee_member_id: referee,
      referrer_member_id: referrer,
      reason: 'The friend was another one',
    };
    const idempotencyKey = `move-${accepted.moves + 1}`;
    await correct('/api/open/members/move-link/', secretKey, body, { idempotencyKey });
    accepted.links.set(referee, referrer);
    accepted.moves += 1;
  };
  /** A person merges a member with orders into a referee. */
  const mergeNext = async ({ secretKey, accepted }: Merchant) => {
    const members = new Set([...accepted.orders.values()].map(({ member_id: id }) => id));
    const referee = referees.find((one) => {
      const former = formerIdOf(one);
      return members.has(former) && !accepted.merges.has(former);
    });
    if (!referee) return;
    const former = formerIdOf(referee);
    const body = { from_member_id: former, into_member_id: referee, reason: 'One customer, two accounts' };
    const once = { idempotencyKey: former, tooEarly: ['not_found', 'orders_due'] };
    await correct('/api/open/members/merge/', secretKey, body, once);
    accepted.merges.set(former, referee);
  };
  const sendAll = async (merchant: Merchant, shopIndex: number, sender: number) => {
    const random = openRandom(options.seed * 1_000 + shopIndex * 100 + sender);
    const source = openOrderSource(`order-${sender}`, random);
    while (!stopping.signal.aborted) {
      await sendOrders(merchant, source);
      if (sender === 0) await linkNext(merchant);
      if (sender === 0 && random.chance(0.3)) await grantNext(merchant, random);
      if (sender === 0 && random.chance(0.3)) await moveNext(merchant, random);
      if (sender === 0 && random.chance(0.3)) await mergeNext(merchant);
      await setTimeout(pauseMs);
    }
  };
  const running = merchants.flatMap((merchant, index) =>
    Array.from({ length: senders }, (_, sender) => sendAll(merchant, index, sender)),
  );
  const all = Promise.all(running);
  // A sender that fails is reported by `stop`.
  all.catch(() => undefined);

  return {
    traffic,
    async stop() {
      stopping.abort();
      await all;
    },
  };
}

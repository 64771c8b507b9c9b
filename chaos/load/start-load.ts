import { setTimeout } from 'node:timers/promises';
import type { Merchant } from '../environment/open-merchant.ts';
import { openRandom } from '../random.ts';
import { openOrderSource, referees, referrerOf } from './make-orders.ts';
import { sendUntilAccepted } from './send-until-accepted.ts';
import type { Traffic } from './send-until-accepted.ts';

export interface LoadOptions {
  apiUrl: string;
  shops: Merchant[];
  seed: number;
  /** Senders at a time for each shop. */
  lanes: number;
  ordersPerRequest: number;
  /** Pause of a sender between two requests, in milliseconds. */
  pauseMs: number;
}

/** Requests that go on until stopped. */
export interface Load {
  traffic: Traffic;
  /** Resolves at the next acceptance: the moment at which most of what follows is under way. */
  nextAccepted(): Promise<void>;
  /** Resolves when no request is under way; none starts until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  /** Resolves when the last request is accepted. @throws what a sender met that the contract does not allow */
  stop(): Promise<void>;
}

/** Starts the load: every shop sends the same order ids with contents of its own, and links members meanwhile. */
export function startLoad(options: LoadOptions): Load {
  const { apiUrl, shops, lanes, ordersPerRequest, pauseMs } = options;
  const traffic: Traffic = { accepted: 0, orders: 0, refused: 0, broken: 0, slowestMs: 0 };
  const call = (path: string, key: string, body: object) =>
    sendUntilAccepted({ url: apiUrl + path, key, body }, traffic);
  const stopping = new AbortController();
  let open = Promise.resolve();
  let resume = () => undefined as void;
  let underWay = 0;
  const idle: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  const release = (all: (() => void)[]) => all.forEach((one) => one());

  const sendOrders = async (shop: Merchant, source: ReturnType<typeof openOrderSource>) => {
    const orders = source.next(ordersPerRequest);
    await call('/api/open/orders/sync/', shop.secretKey, { orders });
    for (const order of orders) shop.book.orders.set(order.order_id, order);
    traffic.orders += orders.length;
    release(waiting.splice(0));
  };
  const linkNext = async ({ secretKey, book }: Merchant) => {
    const referee = referees.find((one) => !book.links.has(one));
    if (!referee) return;
    const referrer = referrerOf(referee);
    const body = { referee_member_id: referee, referrer_member_id: referrer };
    await call('/api/open/members/link/', secretKey, body);
    book.links.set(referee, referrer);
  };
  const sendAll = async (shop: Merchant, shopIndex: number, lane: number) => {
    const random = openRandom(options.seed * 1_000 + shopIndex * 100 + lane);
    const source = openOrderSource(`order-${lane}`, random);
    while (!stopping.signal.aborted) {
      await open;
      underWay += 1;
      try {
        await sendOrders(shop, source);
        if (lane === 0) await linkNext(shop);
      } finally {
        underWay -= 1;
        if (underWay === 0) release(idle.splice(0));
      }
      await setTimeout(pauseMs);
    }
  };
  const senders = shops.flatMap((shop, index) =>
    Array.from({ length: lanes }, (_, lane) => sendAll(shop, index, lane)),
  );
  const all = Promise.all(senders);
  // Whoever waits for something meanwhile learns of a failed sender too.
  const failed = all.then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);

  return {
    traffic,
    nextAccepted: () => Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), failed]),
    pause() {
      open = new Promise((resolve) => (resume = resolve));
      if (underWay === 0) return Promise.resolve();
      return Promise.race([new Promise<void>((resolve) => idle.push(resolve)), failed]);
    },
    resume: () => resume(),
    async stop() {
      stopping.abort();
      resume();
      await all;
    },
  };
}

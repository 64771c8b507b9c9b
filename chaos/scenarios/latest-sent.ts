import { openRandom } from '../random.ts';
import type { Random } from '../random.ts';
import type { SentOrder } from '../ledger/entries.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario } from './scenario.ts';

/** Clients that send at the same time, how often each does so at least, and how many orders it sends then. No repetition has the orders of another one. */
const clients = 8;
const repetitions = 8;
const ordersAtATime = 12;

/** Indexes of the API whose clock is two hours ahead, and of the one that is two hours behind. */
const [ahead, behind] = [1, 2] as const;

/** How a client sends some states of its orders. The last one that is right has to be stored. */
const manners = ['one after the other', 'gives up', 'twice in one request', 'sent late', 'refused'] as const;
type Manner = (typeof manners)[number];

/**
 * Clients send many states of their orders, one after the other, to APIs whose clocks differ by four hours. Some of them give up before they
 * have an answer and send the next state, and some of what they send is refused.
 */
export const latestSent: Scenario = {
  name: 'latest-sent',
  what: 'Clients send one state of an order after the other, to APIs with clocks hours apart, give up and repeat, and are refused',
  situation: 'a client gave up a request, and a newer one was accepted by an API whose clock is behind',
  besideFaults: true,
  async run({ shop: openShop, round, random, reached, isTimeLeft, signal }) {
    const shop = await openShop('shop', { webhooks: 0 });
    // Each has random numbers of its own: which of them is first does not change them.
    const randoms = Array.from({ length: clients }, () => openRandom(random.integer(0, 2 ** 31)));
    const send = async (own: Random, client: number) => {
      for (let repetition = 0; repetition < repetitions || isTimeLeft(); repetition += 1) {
        if (signal.aborted) return;
        const ids = Array.from(
          { length: ordersAtATime },
          (_, index) => `${round}-${client}-${repetition}-${index}`,
        );
        const next = openStates(ids, `${round}-member-${client}`);
        if (await sendStates(shop, own.pick<Manner>(manners), next, own)) reached();
      }
    };
    await Promise.all(randoms.map(send));
  },
};

/** Makes one state of some orders after the other. Each has another amount. */
function openStates(ids: string[], memberId: string): (fields?: Partial<SentOrder>) => SentOrder[] {
  let amount = 0;
  return (fields = {}) => {
    amount += 1;
    return ids.map((id) => makeOrder({ order_id: id, member_id: memberId, order_amount: amount, ...fields }));
  };
}

/** Sends states of orders. Returns whether a request was given up and a newer one accepted. */
async function sendStates(
  shop: Shop,
  manner: Manner,
  next: (fields?: Partial<SentOrder>) => SentOrder[],
  random: Random,
): Promise<boolean> {
  switch (manner) {
    case 'one after the other':
      for (const api of [ahead, behind, ahead, behind]) await shop.syncUntilAccepted(next(), { api });
      return false;
    case 'gives up': {
      const older = await shop.sync(next(), { api: ahead, giveUpAfterMs: random.between(2, 40) });
      const newer = await shop.sync(next(), { api: behind });
      // A 503 is no request that was given up.
      return older.status === undefined && newer.outcome === 'ok';
    }
    case 'twice in one request':
      // Both times are in the future for the API that is behind. The later one is the first in the list.
      await shop.syncUntilAccepted(
        [...next({ updated_at: minutesAgo(30) }), ...next({ updated_at: minutesAgo(60) })],
        { api: behind },
      );
      return false;
    case 'sent late':
      await shop.syncUntilAccepted(next(), { api: behind });
      // By another server of the shop: a state from before the one that is stored.
      await shop.syncUntilAccepted(next({ updated_at: minutesAgo(90) }), { api: ahead });
      return false;
    case 'refused': {
      await shop.syncUntilAccepted(next(), { api: behind });
      // The last order of the request is wrong, so that none of it may be stored, neither new orders nor new states.
      const [wrong, ...others] = next().toReversed();
      const added = others.map((one) => ({ ...one, order_id: `${one.order_id}-added` }));
      if (wrong) await shop.syncUntilRefused([...others, ...added, { ...wrong, paid_amount: -1 }]);
      return false;
    }
  }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

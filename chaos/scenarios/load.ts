import { setTimeout } from 'node:timers/promises';
import type { SentOrder } from '../ledger/entries.ts';
import { openRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario } from './scenario.ts';

/** Referees of each repetition, and the referrers that they share. */
const referees = 30;
const referrers = 5;

/** Requests with orders of referees that are sent at a time. */
const senders = 3;
const statesOfOrder = 4;

/** Requests with orders of other members that are sent at a time, orders in each, and how often each sender sends some at least. */
const sendersOfOthers = 2;
const ordersOfOthers = 100;
const requestsOfOthers = 3;

/**
 * Referred members place orders, which are paid, cancelled and paid again, while processes are killed and frozen, Redis is emptied, and the
 * receiver fails. Under the rule of a new shop the reward that is due follows from the newest states alone. Most orders are of
 * members without a referrer, as in most shops.
 */
export const load: Scenario = {
  name: 'load',
  what: 'Referred members place orders, which are paid, cancelled and paid again, others place many more, and the receiver fails once for some deliveries',
  situation: 'a reward was issued, and its webhook arrived',
  besideFaults: true,
  async run({ shop: openShop, round, random, reached, isTimeLeft, signal }) {
    const shop = await openShop('shop');
    shop.webhooks[0]?.receiver.respond(({ attempt, response }) => {
      // Once for a delivery: its next attempt follows after 5 s, the one after that after a minute.
      const fails = attempt === 1 && random.chance(0.1);
      if (!fails) reached();
      response.writeHead(fails ? 500 : 204).end();
    });
    // Each has random numbers of its own: which of them is first does not change them.
    const openRandoms = (number: number) =>
      Array.from({ length: number }, () => openRandom(random.integer(0, 2 ** 31)));
    const repeat = async (once: (repetition: number) => Promise<void>) => {
      for (let repetition = 0; repetition === 0 || isTimeLeft(); repetition += 1) {
        if (signal.aborted) return;
        await once(repetition);
      }
    };
    await Promise.all([
      ...openRandoms(senders).map((own, sender) =>
        repeat((repetition) => sendOfReferees(shop, `${round}-${repetition}`, sender, own, signal)),
      ),
      ...openRandoms(sendersOfOthers).map((own, sender) =>
        repeat((repetition) => sendOfOthers(shop, `${round}-${repetition}-${sender}`, own)),
      ),
    ]);
  },
};

/** Sends all states of the orders of a sender's share of the referees. */
async function sendOfReferees(
  shop: Shop,
  prefix: string,
  sender: number,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const members = Array.from({ length: referees }, (_, index) => `${prefix}-referee-${index}`).filter(
    (_, index) => index % senders === sender,
  );
  for (const [index, id] of members.entries()) await shop.link(id, `${prefix}-referrer-${index % referrers}`);
  const orders = members.flatMap((member_id) =>
    [1, 2].map((number) => makeOrder({ order_id: `${member_id}-${number}`, member_id, paid_at: null })),
  );
  for (let state = 1; state <= statesOfOrder && !signal.aborted; state += 1) {
    await shop.syncUntilAccepted(orders.map((order) => changed(order, random.integer(0, 3))));
    await setTimeout(random.between(100, 800));
  }
}

/** A state of an order: placed, paid (twice as likely), or cancelled after its payment. */
function changed(order: SentOrder, kind: number): SentOrder {
  const paid = { ...order, paid_at: order.order_date };
  if (kind === 0) return order;
  return kind === 1 ? { ...paid, cancelled_at: order.order_date } : paid;
}

/** Sends orders of members without a referrer, each once. */
async function sendOfOthers(shop: Shop, prefix: string, random: Random): Promise<void> {
  for (let request = 0; request < requestsOfOthers; request += 1) {
    const orders = Array.from({ length: ordersOfOthers }, (_, index) => {
      const id = `${prefix}-other-${request}-${index}`;
      return makeOrder({ order_id: id, member_id: `${id}-member` });
    });
    await shop.syncUntilAccepted(orders);
    await setTimeout(random.between(50, 250));
  }
}

import { setTimeout } from 'node:timers/promises';
import type { SentOrder } from '../ledger/entries.ts';
import { openRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Scenario } from './scenario.ts';

/** Referees of a round, and the referrers that they share. */
const referees = 30;
const referrers = 5;

/** Requests that are sent at a time, each with the orders of some members. */
const senders = 3;
const statesOfOrder = 4;

/**
 * Referred members place orders, which are paid, cancelled and paid again, while processes are killed and frozen, Redis is emptied, and the
 * receiver fails. Under the rule of a new shop the reward that is due follows from the newest states alone.
 */
export const load: Scenario = {
  name: 'load',
  what: 'Referred members place orders, which are paid, cancelled and paid again, and the receiver fails once for some deliveries',
  situation: 'a reward was issued, and its webhook arrived',
  besideFaults: true,
  async run({ shop: openShop, round, random, reached, signal }) {
    const shop = await openShop('shop');
    const [webhook] = shop.webhooks;
    const failed = new Set<string>();
    webhook?.receiver.respond(({ deliveryId, response }) => {
      // Once for a delivery: its next attempt follows after 5 s, the one after that after a minute.
      const fails = !failed.has(deliveryId) && random.chance(0.1);
      if (fails) failed.add(deliveryId);
      else reached();
      response.writeHead(fails ? 500 : 204).end();
    });
    const ids = Array.from({ length: referees }, (_, index) => `${round}-referee-${index}`);
    const share = (sender: number) => ids.filter((_, index) => index % senders === sender);
    // Each has random numbers of its own: which of them is first does not change them.
    const randoms = Array.from({ length: senders }, () => openRandom(random.integer(0, 2 ** 31)));
    const send = async (sender: number) => {
      const own = randoms[sender] as Random;
      const members = share(sender);
      for (const [index, id] of members.entries())
        await shop.link(id, `${round}-referrer-${index % referrers}`);
      const orders = members.flatMap((member_id) =>
        [1, 2].map((number) => makeOrder({ order_id: `${member_id}-${number}`, member_id, paid_at: null })),
      );
      for (let state = 1; state <= statesOfOrder && !signal.aborted; state += 1) {
        await shop.syncUntilAccepted(orders.map((order) => changed(order, own.integer(0, 3))));
        await setTimeout(own.between(100, 800));
      }
    };
    await Promise.all(Array.from({ length: senders }, (_, sender) => send(sender)));
  },
};

/** A state of an order: placed, paid (twice as likely), or cancelled after its payment. */
function changed(order: SentOrder, kind: number): SentOrder {
  const paid = { ...order, paid_at: order.order_date };
  if (kind === 0) return order;
  return kind === 1 ? { ...paid, cancelled_at: order.order_date } : paid;
}

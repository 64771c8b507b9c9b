import { waitFor } from '@rewardhook/local-stack';
import { whileFrozen } from '../faults/freeze-process.ts';
import { killProcess } from '../faults/kill-process.ts';
import type { SentOrder } from '../ledger/entries.ts';
import { openRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** Clients that send at the same time, how often each does so, and how many orders it sends then. No repetition has the orders of another one. */
const clients = 8;
const repetitions = 16;
const ordersAtATime = 12;

/** Indexes of the APIs with the right clock, one that is two hours ahead, and one that is two hours behind. */
const [ahead, behind] = [1, 2] as const;
const apiNames = ['api-1', 'api-2', 'api-3'] as const;

/** How a client sends some states of its orders. The last one has to be stored. */
const manners = ['one after the other', 'gives up', 'twice in one request', 'sent late'] as const;
type Manner = (typeof manners)[number];

/**
 * Clients send many states of their orders, one after the other, to APIs whose clocks differ by four hours. Some of them give up before they
 * have an answer and send the next state.
 */
export const latestSent: Scenario = {
  name: 'latest-sent',
  what: 'Clients send one state of an order after the other, to APIs with clocks hours apart, and give up and repeat',
  situation:
    'a client gave up a request, and a newer one was accepted by an API whose clock is behind; an older request was stored later',
  besideFaults: true,
  async run(context) {
    const { round, random, signal } = context;
    const shop = await context.shop('shop', { webhooks: 0 });
    let gaveUp = false;
    // Each has random numbers of its own: which of them is first does not change them.
    const randoms = Array.from({ length: clients }, () => openRandom(random.integer(0, 2 ** 31)));
    const send = async (client: number) => {
      const own = randoms[client] as Random;
      for (let repetition = 0; repetition < repetitions && !signal.aborted; repetition += 1) {
        const ids = Array.from(
          { length: ordersAtATime },
          (_, index) => `${round}-${client}-${repetition}-${index}`,
        );
        const manner = own.pick<Manner>(manners);
        if (await sendStates(shop, manner, openStates(ids, `${round}-member-${client}`), own)) gaveUp = true;
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => send(client)));
    if (context.besideFaults || signal.aborted) return gaveUp ? context.reached() : undefined;
    await giveUpAtFrozenApi(context, shop);
    if (gaveUp && (await storeOlderLater(context, shop))) context.reached();
  },
};

/** Gives up a request to an API that is frozen, has a newer state accepted by another one, and lets the first continue. */
async function giveUpAtFrozenApi({ service, round }: ScenarioContext, shop: Shop): Promise<void> {
  const next = openStates([`${round}-frozen`], `${round}-frozen`);
  await whileFrozen(service, apiNames[ahead], async () => {
    await shop.sync(next(), { api: ahead, giveUpAfterMs: 300 });
    await shop.syncUntilAccepted(next(), { api: behind });
  });
}

/**
 * Kills the workers that store a request. Its job is taken up again when the lock of the job has ended, and by then a newer state of its order
 * is stored. Returns whether it was.
 */
async function storeOlderLater({ service, round }: ScenarioContext, shop: Shop): Promise<boolean> {
  const id = `${round}-later`;
  const state = (amount: number) => makeOrder({ order_id: id, member_id: id, order_amount: amount });
  const pause = await service.pausePoints.pause('order-uncommitted', shop.merchantId);
  try {
    await shop.syncUntilAccepted([state(1)]);
    await pause.reached();
    const workers = service.names.filter((name) => name.startsWith('sync'));
    await Promise.all(workers.map((name) => killProcess(service, name, 'SIGKILL')));
    await pause.endSessions();
  } finally {
    await pause.release();
  }
  await shop.syncUntilAccepted([state(2)]);
  const stored = await waitFor(
    async () => {
      const { body } = await shop.call({ call: 'read', path: `/api/open/orders/${id}/` });
      return (body as { data?: { order_amount: number } } | undefined)?.data;
    },
    { deadlineMs: 30_000, everyMs: 50, what: 'the newer state' },
  );
  return stored.order_amount === 2;
}

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
  }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

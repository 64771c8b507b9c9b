import { waitFor } from '@rewardhook/local-stack';
import { whileFrozen } from '../faults/freeze-process.ts';
import { killProcess } from '../faults/kill-process.ts';
import { makeOrder } from '../shop/make-order.ts';
import { readOrder } from '../shop/member-calls.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** An API with the right clock, and the index of another one. */
const [frozen, other] = [{ name: 'api-1', index: 0 }, 2] as const;

/** What was sent first arrives last: at the API, which was frozen, or in the database, because the worker that had the job was killed. */
export const storedLater: Scenario = {
  name: 'stored-later',
  what: 'A request that a client gave up reaches an API that was frozen, and the job of an older request runs after that of a newer one',
  situation:
    'an older state of an order was stored, and rolled back, before a newer one, and stored again after it',
  besideFaults: false,
  async run(context) {
    const shop = await context.shop('shop', { webhooks: 0 });
    await giveUpAtFrozenApi(context, shop);
    if (!context.signal.aborted && (await storeOlderLater(context, shop))) context.reached();
  },
};

/** Requests that are given up at a time. */
const givenUp = 5;

/** Gives up requests to an API that is frozen, has newer states accepted by another one, and lets the first continue. */
async function giveUpAtFrozenApi({ service, round }: ScenarioContext, shop: Shop): Promise<void> {
  const ids = Array.from({ length: givenUp }, (_, index) => `${round}-frozen-${index}`);
  const state = (id: string, amount: number) => [
    makeOrder({ order_id: id, member_id: id, order_amount: amount }),
  ];
  // While it looked up the key, it would see that the client is gone, and not read the body.
  await shop.syncUntilAccepted(state(`${round}-known-key`, 1), { api: frozen.index });
  await whileFrozen(service, frozen.name, async () => {
    await Promise.all(ids.map((id) => shop.sync(state(id, 1), { api: frozen.index, giveUpAfterMs: 300 })));
    for (const id of ids) await shop.syncUntilAccepted(state(id, 2), { api: other });
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
  const stored = await waitFor(() => readOrder(shop, id), {
    deadlineMs: 30_000,
    everyMs: 50,
    what: 'the newer state',
  });
  return stored.order_amount === 2;
}

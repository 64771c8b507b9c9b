import { waitFor } from '@rewardhook/local-stack';
import { now } from '../ledger/clock.ts';
import { makeOrder } from '../shop/make-order.ts';
import { readOne, readOrder, waitUntilDecided } from '../shop/member-calls.ts';
import type { ObservedReward } from '../shop/observe-shop.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** Requests of the large shop, and orders in each: more than the workers take at a time. */
const requests = 80;
const ordersOfRequest = 50;

/** From the end of the pause to the decision about the order of the small shop, in milliseconds, on a busy machine with 2 cores. */
const decidedWithinMs = 10_000;

/** Orders with the same ids at both shops. */
const shared = 5;

/** Two shops use the same ids. One of them has thousands of orders waiting when the other one sends one. */
export const tenants: Scenario = {
  name: 'tenants',
  what: 'Two shops use the same ids of orders and members, and one sends an order while thousands of the other wait',
  situation: 'orders of both shops waited to be stored',
  besideFaults: false,
  ownChecks: [
    { name: 'others-unreadable', promise: 'A shop cannot read what belongs to another one' },
    {
      name: 'small-shop-decided-soon',
      promise:
        'The order of a shop with nothing waiting is decided within 10 s, although thousands of another shop wait',
    },
  ],
  async run(context) {
    const [large, small] = await Promise.all([context.shop('large'), context.shop('small')]);
    await useSameIds(context, large, small);
    if (!context.signal.aborted) await waitBehindThousands(context, large, small);
  },
};

/** The amounts differ, so an order of the other shop would show. */
async function useSameIds(context: ScenarioContext, large: Shop, small: Shop): Promise<void> {
  const { round } = context;
  const ids = Array.from({ length: shared }, (_, index) => `${round}-shared-${index}`);
  await Promise.all(
    [large, small].map(async (shop, index) => {
      await shop.link(`${round}-bob`, `${round}-ann`);
      const amounts = { paid_amount: 20_000 + index, order_amount: 20_000 + index };
      await shop.syncUntilAccepted(
        ids.map((id) => makeOrder({ order_id: id, member_id: `${round}-bob`, ...amounts })),
      );
      await Promise.all(ids.map((id) => waitUntilDecided(shop, id)));
    }),
  );
  await readOthers(context, large, small);
}

/** What belongs to one shop does not exist for the key of the other. */
async function readOthers(context: ScenarioContext, large: Shop, small: Shop): Promise<void> {
  const { round } = context;
  const problems: string[] = [];
  let read = 0;
  for (const [owner, reader] of [
    [large, small],
    [small, large],
  ] as const) {
    const path = `/api/open/rewards/?order_id=${round}-shared-0`;
    const rewards = (await readOne<{ rewards: ObservedReward[] }>(owner, path))?.rewards ?? [];
    const paths = [
      ...rewards.map(({ id }) => `/api/open/rewards/${id}/`),
      ...rewards.map(({ referral_id: id }) => `/api/open/referrals/${id}/`),
      ...owner.webhooks.map(({ id }) => `/api/open/webhooks/${id}/`),
    ];
    for (const one of paths) {
      read += 1;
      if ((await readOne(reader, one)) !== undefined)
        problems.push(`${reader.name} can read ${one} of ${owner.name}`);
    }
  }
  context.checked('others-unreadable', read, problems);
}

/** The transactions of the large shop are held until all of its requests wait, and the order of the small one behind them. */
async function waitBehindThousands(context: ScenarioContext, large: Shop, small: Shop): Promise<void> {
  const { round, service, random } = context;
  const prefix = `${round}-${random.integer(1_000, 9_999)}`;
  const mine = `${prefix}-small`;
  const pause = await service.pausePoints.pause('order-uncommitted', large.merchantId);
  let released = 0;
  try {
    const from = now();
    const batches = Array.from({ length: requests }, (_, request) =>
      Array.from({ length: ordersOfRequest }, (__, index) => {
        const id = `${prefix}-${request}-${index}`;
        return makeOrder({ order_id: id, member_id: index === 0 ? `${round}-bob` : `${id}-guest` });
      }),
    );
    for (let at = 0; at < requests; at += 4)
      await Promise.all(batches.slice(at, at + 4).map((orders) => large.syncUntilAccepted(orders)));
    await pause.reached();
    await small.syncUntilAccepted([makeOrder({ order_id: mine, member_id: `${round}-bob` })]);
    const areWaiting = (await pause.waiting()) > 0 && (await readOrder(small, mine)) === undefined;
    if (areWaiting) context.reached();
    released = now();
    const details = { large: large.name, prefix: `${prefix}-`, small: small.name, orderId: mine };
    service.ledger.write({
      kind: 'act',
      at: from,
      until: released,
      shop: large.name,
      act: 'wait in line',
      details,
    });
  } finally {
    await pause.release();
  }
  await waitUntilDecided(small, mine);
  const took = Math.round(now() - released);
  const problems =
    took > decidedWithinMs ? [`an order of the small shop had its decision after ${took} ms`] : [];
  context.checked('small-shop-decided-soon', 1, problems);
  const last = `${prefix}-${requests - 1}-${ordersOfRequest - 1}`;
  await waitFor(() => readOrder(large, last), {
    deadlineMs: 60_000,
    everyMs: 200,
    what: 'the orders of the large shop',
  });
}

import type { Answer, ApiCall } from '../shop/call-api.ts';
import { makeOrder } from '../shop/make-order.ts';
import { waitForRewards, waitUntilDecided } from '../shop/member-calls.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Service } from '../service/open-service.ts';
import type { Scenario } from './scenario.ts';

/** How long requests are waited for that have to wait for the first one, in milliseconds. */
const arriveWithinMs = 3_000;

/** People give, adjust and revoke rewards, and each request is sent twice at once. */
export const byHand: Scenario = {
  name: 'by-hand',
  what: 'Rewards are given, adjusted and revoked by hand, each request twice at once with one key, and another one with the key',
  situation:
    'of each kind of correction the same request and another one with its key had arrived before the first was answered',
  besideFaults: false,
  async run({ service, shop: openShop, round, reached }) {
    const shop = await openShop('shop');
    const members = ['granted', 'adjusted', 'revoked', 'grants'].map((name) => `${round}-${name}`);
    await Promise.all(members.map((member) => shop.link(member, `${round}-referrer`)));
    const orders = members.map((member) => makeOrder({ order_id: `${member}-order`, member_id: member }));
    await shop.syncUntilAccepted(orders);
    const isIssued = Promise.all(
      orders.map(({ order_id: id }) => waitForRewards(shop, id, (rewards) => rewards.length === 2)),
    );
    const [granted, adjusted, revoked, grants] = await isIssued;
    const reward = (of: typeof granted) => of?.find(({ role }) => role === 'referee')?.id ?? 'missing';
    const grantOf = (amount: number) =>
      grant(`${round}-granted-order`, { role: 'referee', amount, another: true });
    const adjustmentOf = (amount: number) => change('adjust', reward(adjusted), { amount });
    const requests: Pair[] = [
      { request: grantOf(500), other: grantOf(600) },
      { request: adjustmentOf(1_234), other: adjustmentOf(2_345) },
      {
        request: change('revoke', reward(revoked), {}),
        other: change('adjust', reward(revoked), { amount: 1_000 }),
      },
    ];
    const areConcurrent: boolean[] = [];
    for (const [index, pair] of requests.entries())
      areConcurrent.push(await sendAtOnce(shop, service, pair, `${round}-${index}`));

    await repeatLater(shop, requests, round);
    await grantAround(shop, round, reward(grants));
    // A reward that a person gave stays when its order is cancelled, and one that a person adjusted does not.
    const cancelledAt = new Date().toISOString();
    await shop.syncUntilAccepted(
      orders.slice(0, 2).map((order) => ({ ...order, cancelled_at: cancelledAt })),
    );
    await Promise.all(orders.map(({ order_id: id }) => waitUntilDecided(shop, id)));
    if (areConcurrent.every(Boolean)) reached();
  },
};

type Correction = Pick<ApiCall, 'call' | 'path'> & { body: Record<string, unknown> };

/** Two requests that are sent with one key. */
interface Pair {
  request: Correction;
  other: Correction;
}

const grant = (orderId: string, body: Record<string, unknown>): Correction => ({
  call: 'grant',
  path: `/api/open/orders/${encodeURIComponent(orderId)}/rewards/`,
  body: { ...body, reason: 'given by the harness' },
});

const change = (kind: 'adjust' | 'revoke', rewardId: string, body: Record<string, unknown>): Correction => ({
  call: kind,
  path: `/api/open/rewards/${rewardId}/${kind}/`,
  body: { ...body, reason: 'changed by the harness' },
});

/**
 * Sends a correction to one API, and while it has not committed the same one and another one with its key to the others. Returns whether
 * all three were in flight together.
 */
async function sendAtOnce(
  shop: Shop,
  { pausePoints }: Service,
  { request, other }: Pair,
  key: string,
): Promise<boolean> {
  const pause = await pausePoints.pause('event-uncommitted', shop.merchantId);
  let answered = 0;
  const send = (correction: Correction, api: number): Promise<Answer> =>
    shop.call({ ...correction, api, idempotencyKey: key }).finally(() => (answered += 1));
  const all = [send(request, 0)];
  try {
    await pause.reached();
    all.push(send(request, 1), send(other, 2));
    return (await pause.untilBlocks(2, arriveWithinMs)) && answered === 0;
  } finally {
    await pause.release();
    await Promise.all(all);
  }
}

/** Sends all of them again: none changes anything. */
async function repeatLater(shop: Shop, pairs: Pair[], round: string): Promise<void> {
  await Promise.all(
    pairs.flatMap(({ request, other }, index) =>
      [request, other].map((one) => shop.repeat({ ...one, idempotencyKey: `${round}-${index}` })),
    ),
  );
}

/** Grants that are refused and then made, for an order that has a reward by the rule, before and after it is revoked. */
async function grantAround(shop: Shop, round: string, rewardId: string): Promise<void> {
  const order = `${round}-grants-order`;
  const send = (request: Correction, key: string) =>
    shop.repeat({ ...request, idempotencyKey: `${round}-${key}` });
  const wanted = { role: 'referee', amount: 700 };
  // Refused with `reward_exists`: the key is not used up.
  await send(grant(order, wanted), 'once');
  await send(change('revoke', rewardId, {}), 'revoke');
  await send(grant(order, wanted), 'once');
  // The rule gives nothing for the role any more, and a person can give more.
  await send(grant(order, { ...wanted, amount: 50, another: true }), 'twice');
  const [mine] = await waitForRewards(shop, order, (rewards) =>
    rewards.some(({ amount, state }) => amount === 700 && state === 'confirmed'),
  ).then((rewards) => rewards.filter(({ amount }) => amount === 700));
  await send(change('adjust', mine?.id ?? 'missing', { amount: 900 }), 'adjust');
}

import { setTimeout } from 'node:timers/promises';
import { killProcess } from '../faults/kill-process.ts';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import { openApiClient } from '../shop/call-api.ts';
import type { ApiClient } from '../shop/call-api.ts';
import { makeOrder } from '../shop/make-order.ts';
import { mergeMember, readOne, readOrder, waitUntilDecided, waitUntilStored } from '../shop/member-calls.ts';
import type { ObservedReward } from '../shop/observe-shop.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** A refused erasure is repeated for so long, in milliseconds. */
const eraseWithinMs = 60_000;

/** What is sent within the first seconds of a deletion of test data can be deleted with the rest, in milliseconds. */
const wipeBeginsMs = 4_000;

/**
 * Members are erased while others, and their own referees, order. An erasure comes while an evaluation of the member has begun. Erased
 * ids are used again, and the data of the test side, which has the ids of the live one, is deleted.
 */
export const erasure: Scenario = {
  name: 'erasure',
  what: 'Members are erased, merged and used again, and test data is deleted, while orders are stored and evaluated and workers killed',
  situation: 'an evaluation was due when the erasure of its member was asked for',
  besideFaults: false,
  ownChecks: [
    {
      name: 'test-data-deleted',
      promise: 'Deleted test data cannot be read, and the live side is as before',
    },
  ],
  async run(context) {
    const shop = await context.shop('shop');
    const over = new AbortController();
    const others = inBackground(orderAllTheTime(context, shop, over.signal));
    try {
      await Promise.all([eraseMembers(context, shop), wipeTestSide(context, shop)]);
    } finally {
      over.abort();
      await others;
    }
  },
};

/** Other members of the shop are linked and order, so that erasures do not run alone. */
async function orderAllTheTime({ round }: ScenarioContext, shop: Shop, over: AbortSignal): Promise<void> {
  for (let index = 0; !over.aborted; index += 1) {
    const member = `${round}-other-${index}`;
    await Promise.all([
      shop.link(member, `${round}-referrer`),
      shop.syncUntilAccepted([makeOrder({ order_id: `${member}-1`, member_id: member })]),
    ]);
    await setTimeout(200);
  }
}

async function eraseMembers(context: ScenarioContext, shop: Shop): Promise<void> {
  const { round, signal } = context;
  const id = (name: string) => `${round}-${name}`;
  const order = async (orderId: string, member: string) => {
    await shop.syncUntilAccepted([makeOrder({ order_id: id(orderId), member_id: id(member) })]);
  };
  // gil was referred by hal; ivy is merged into jan, who was referred, too.
  await shop.link(id('gil'), id('hal'));
  await shop.link(id('jan'), id('hana'));
  await order('gil-1', 'gil');
  await order('ivy-1', 'ivy');
  await waitUntilStored(shop, id('ivy-1'));
  await mergeMember(shop, id('ivy'), id('jan'), id('merge-ivy'));
  await order('jan-1', 'jan');
  await waitUntilDecided(shop, id('gil-1'));

  const wasErased = await eraseWhileDue(context, shop, id('gil'), () => order('gil-2', 'gil'));
  await waitUntilDecided(shop, id('gil-2'));
  if (!wasErased) await erase(context, shop, [id('gil')]);
  if (signal.aborted) return;
  await Promise.all([
    killProcess(context.service, `reward-evaluation-${context.random.integer(1, 2)}`, 'SIGKILL'),
    erase(context, shop, [id('jan'), id('ivy')]),
  ]);
  if (signal.aborted) return;
  await erase(context, shop, [id('hal')]);

  // From now on these are the ids of new members. Whether the link is made is a check, so it is not repeated for long.
  const link = { referee_member_id: id('gil'), referrer_member_id: id('hana') };
  await shop
    .repeat({ call: 'link', path: '/api/open/members/link/', body: link }, { deadlineMs: 5_000 })
    .catch(() => undefined);
  await order('gil-3', 'gil');
  await order('ivy-2', 'ivy');
  await Promise.all(['gil-3', 'ivy-2'].map((orderId) => waitUntilStored(shop, id(orderId))));
  const erased = ['gil-1', 'gil-2', 'jan-1', 'ivy-1'].map((orderId) => id(orderId));
  const shown = await Promise.all(
    erased.map((orderId) => readOne(shop, `/api/open/orders/${orderId}/explain/`)),
  );
  const members = await Promise.all(
    ['hal', 'jan'].map((member) => readOne(shop, `/api/open/members/${id(member)}/`)),
  );
  context.service.ledger.write({
    kind: 'observed',
    shop: shop.name,
    what: 'after erasure',
    rows: [...shown, ...members].filter((one) => one !== undefined),
  });
}

/** Asks for an erasure while the evaluation of an order of the member has begun. Returns whether it was done: it has to be refused. */
async function eraseWhileDue(
  context: ScenarioContext,
  shop: Shop,
  member: string,
  sendOrder: () => Promise<void>,
): Promise<boolean> {
  const pause = await context.service.pausePoints.pause('orders-claimed', shop.merchantId);
  try {
    await sendOrder();
    await pause.reached();
    const { done, refusal } = await tryToErase(context, shop, [member]);
    // A guard that is missing erases the member. Another refusal shows nothing.
    if (done || refusal.includes('evaluat')) context.reached();
    return done;
  } finally {
    await pause.release();
  }
}

/** Runs the command once. All requests with the ids of the member have been answered. */
async function tryToErase(
  { service }: ScenarioContext,
  shop: Shop,
  ids: string[],
): Promise<{ done: boolean; refusal: string }> {
  const at = now();
  const { ok, stderr } = await service.tryAdmin(
    'member',
    'erase',
    '--merchant',
    shop.merchantId,
    '--member',
    ids[0] ?? '',
    '--yes',
  );
  const details = { ids, done: ok, refusal: stderr };
  service.ledger.write({ kind: 'act', at, until: now(), shop: shop.name, act: 'erase', details });
  return { done: ok, refusal: stderr };
}

/** Erases a member as soon as nothing of theirs is due. The first id is the one that counts, the others are former ones. */
async function erase(context: ScenarioContext, shop: Shop, ids: string[]): Promise<void> {
  for (const end = performance.now() + eraseWithinMs; ; await setTimeout(500)) {
    if ((await tryToErase(context, shop, ids)).done) return;
    if (performance.now() > end) throw new Error(`${ids[0]} of ${shop.name} could not be erased`);
  }
}

/** The test side has the same ids as the live one, and loses its data under load. */
async function wipeTestSide(context: ScenarioContext, shop: Shop): Promise<void> {
  const { service, round } = context;
  const of = ['--merchant', shop.merchantId];
  const { key } = await service.admin<{ key: string }>('key', 'create', ...of, '--test', '--kind', 'secret');
  const test = openTestSide(context, shop, key);
  const [member, referrer] = [`${round}-lea`, `${round}-lou`];
  const send = async (client: Pick<ApiClient, 'repeat'>, orderId: string, by = member) => {
    const orders = [makeOrder({ order_id: orderId, member_id: by })];
    await client.repeat({ call: 'sync', path: '/api/open/orders/sync/', body: { orders } });
  };
  const link = (client: Pick<ApiClient, 'repeat'>) =>
    client.repeat({
      call: 'link',
      path: '/api/open/members/link/',
      body: { referee_member_id: member, referrer_member_id: referrer },
    });
  const [kept, deleted] = [`${round}-kept`, `${round}-deleted`];
  const rewardsOf = async () => {
    const path = `/api/open/rewards/?order_id=${kept}`;
    return ((await readOne<{ rewards: ObservedReward[] }>(test, path))?.rewards ?? []).map(({ id }) => id);
  };
  for (const client of [shop, test]) {
    await link(client);
    await send(client, kept);
  }
  await send(test, deleted);
  await Promise.all([kept, deleted].map((orderId) => waitUntilDecided(test, orderId)));
  const before = await rewardsOf();

  const over = new AbortController();
  const sendAll = async () => {
    for (let index = 0; !over.signal.aborted; index += 1) {
      await send(test, `${round}-meanwhile-${index}`, `${round}-leo`);
      await setTimeout(50);
    }
  };
  const load = inBackground(sendAll());
  try {
    await service.admin('merchant', 'wipe-test', ...of, '--yes');
    // It deletes, and continues when it runs again.
    await killProcess(service, 'housekeeping', 'SIGKILL');
  } finally {
    over.abort();
    await load;
  }
  await setTimeout(wipeBeginsMs);
  const isLeft = (await readOrder(test, deleted)) !== undefined;
  await link(test);
  await send(test, kept);
  await waitUntilDecided(test, kept);
  const after = await rewardsOf();
  context.checked('test-data-deleted', 2 + before.length, [
    ...(isLeft ? [`the order ${deleted} of the test side was deleted, and can be read`] : []),
    ...(after.length === 2 ? [] : [`an order of the emptied test side has ${after.length} rewards, not 2`]),
    ...before
      .filter((id) => after.includes(id))
      .map((id) => `the reward ${id} was given before and after a deletion`),
  ]);
}

/** A client of the test side. Its calls are not those of the shop: the checks of the live side must not know them. */
function openTestSide({ service }: ScenarioContext, shop: Shop, key: string): ApiClient {
  const { ledger, senders, stack } = service;
  return openApiClient({ ledger, senders, apiUrls: stack.apiUrls, shop: `${shop.name}, test side`, key });
}

import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { killProcess } from '../faults/kill-process.ts';
import { inBackground } from '../in-background.ts';
import type { SentOrder } from '../ledger/entries.ts';
import type { Pause, PausePoint } from '../service/pause-points.ts';
import { makeOrder } from '../shop/make-order.ts';
import { mergeCall, mergeMember, moveLink, waitUntilDecided, waitUntilStored } from '../shop/member-calls.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** How long a transaction is held while what must wait for it has time to begin, in milliseconds: the sweepers run once a second. */
const heldMs = 1_000;
const heldForSweepersMs = 2_300;
/** From then on the sweepers have done what they do after a merge, in milliseconds. */
const settledMs = 5_000;

/** Pairs of a link and an order that are sent at the same time, and merges beside orders of both members. */
const pairs = 10;
const merges = 4;

/**
 * Two transactions about the same member meet in each of their orders: one is held where the other one must wait for it, or must be
 * found by it later.
 */
export const races: Scenario = {
  name: 'races',
  what: 'Links, moved links and merges meet orders of the same member, and two orders of a referee are evaluated at once',
  situation: 'the commit of an order was held while the link of its member was answered',
  besideFaults: false,
  async run(context) {
    const links = await context.shop('links');
    const merged = await context.shop('merges');
    const id = (name: string) => `${context.round}-${name}`;
    await losesItsJob(context, links, id);
    await Promise.all([raceLinks(context, links, id), raceMerges(context, merged, id)]);
  },
};

type Ids = (name: string) => string;

/** Holds the transactions of a shop at a point, calls `during`, and lets them continue. */
async function whileHeld(
  { service }: ScenarioContext,
  shop: Shop,
  point: PausePoint,
  during: (pause: Pause) => Promise<void>,
): Promise<void> {
  const pause = await service.pausePoints.pause(point, shop.merchantId);
  try {
    await during(pause);
  } finally {
    await pause.release();
  }
}

const order = (orderId: string, memberId: string, fields: Partial<SentOrder> = {}) =>
  makeOrder({ order_id: orderId, member_id: memberId, ...fields });

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** The order is committed, and the process that would enqueue its evaluation has been killed. */
async function losesItsJob(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  const { names, pidOf } = context.service;
  const syncs = names.filter((name) => name.startsWith('sync'));
  const pidsNow = () => syncs.map(pidOf);
  await shop.link(id('lost'), id('lost-referrer'));
  let killed: Promise<unknown> | undefined;
  await whileHeld(context, shop, 'order-uncommitted', async (pause) => {
    await shop.syncUntilAccepted([order(id('lost-1'), id('lost'))]);
    await pause.reached();
    const before = pidsNow();
    killed = inBackground(Promise.all(syncs.map((name) => killProcess(context.service, name, 'SIGKILL'))));
    const haveEnded = () => pidsNow().every((pid, index) => pid === undefined || pid !== before[index]);
    await Promise.race([waitFor(haveEnded, { everyMs: 5, what: 'the end of sync' }), killed]);
  });
  await killed;
}

/** One after the other, since a pause holds everything of the shop at its point. */
async function raceLinks(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  const { signal } = context;
  await linksAtOnce(shop, id);
  for (const race of [linkBeforeCommit, twoOrders, newerState, moveAndEvaluation, mergeOfReferrer]) {
    if (signal.aborted) return;
    await race(context, shop, id);
  }
}

async function linksAtOnce(shop: Shop, id: Ids): Promise<void> {
  const members = Array.from({ length: pairs }, (_, index) => `pair-${index}`);
  await Promise.all(
    members.flatMap((member) => [
      shop.link(id(member), id('ann')),
      shop.syncUntilAccepted([order(id(`${member}-1`), id(member)), order(id(`${member}-2`), id(member))]),
    ]),
  );
}

/** The order is not visible to the link, nor the link to the order. */
async function linkBeforeCommit(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  await whileHeld(context, shop, 'order-uncommitted', async (pause) => {
    await shop.syncUntilAccepted([order(id('bob-1'), id('bob'))]);
    await pause.reached();
    await shop.link(id('bob'), id('ann'));
    if ((await pause.waiting()) > 0) context.reached();
    await setTimeout(heldForSweepersMs);
  });
  await waitUntilDecided(shop, id('bob-1'));
}

/** The later of two orders of a referee is evaluated first, and its reward is not committed when the other one is evaluated. */
async function twoOrders(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  await shop.link(id('carl'), id('ann'));
  await whileHeld(context, shop, 'decision-uncommitted', async (pause) => {
    await shop.syncUntilAccepted([order(id('carl-later'), id('carl'), { order_date: hoursAgo(1) })]);
    await pause.reached();
    await shop.syncUntilAccepted([order(id('carl-earlier'), id('carl'), { order_date: hoursAgo(2) })]);
    await waitUntilStored(shop, id('carl-earlier'));
    await pause.untilBlocks(1, heldMs);
  });
  await waitUntilDecided(shop, id('carl-earlier'));
}

/**
 * An evaluation that began before an order was paid finds it paid. Several at once: the evaluation that the payment itself causes may
 * be the first one to go on.
 */
async function newerState(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  const members = Array.from({ length: 5 }, (_, index) => `payer-${index}`);
  for (const member of members) await shop.link(id(member), id('ann'));
  await whileHeld(context, shop, 'orders-claimed', async (pause) => {
    for (const member of members)
      await shop.syncUntilAccepted([order(id(`${member}-1`), id(member), { paid_at: null })]);
    await waitFor(async () => (await pause.waiting()) > 1, { what: 'two evaluations that have begun' });
    await setTimeout(heldMs);
    for (const member of members) {
      await shop.syncUntilAccepted([order(id(`${member}-1`), id(member))]);
      await waitUntilStored(shop, id(`${member}-1`), ({ paid_at }) => paid_at !== null);
    }
  });
  for (const member of members) await waitUntilDecided(shop, id(`${member}-1`));
}

/** The reward of the former referrer is not committed when the link is moved, twice with one key. */
async function moveAndEvaluation(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  await shop.link(id('dave'), id('ann'));
  let moves: Promise<unknown> | undefined;
  await whileHeld(context, shop, 'decision-uncommitted', async (pause) => {
    await shop.syncUntilAccepted([order(id('dave-1'), id('dave'))]);
    await pause.reached();
    const move = () => moveLink(shop, id('dave'), id('new-referrer'), id('move-dave'));
    moves = inBackground(Promise.all([move(), move()]));
    await pause.untilBlocks(2, heldMs);
  });
  await moves;
  await waitUntilDecided(shop, id('dave-1'));
}

/** The evaluation has read the referrer, and not yet written their reward, when the referrer is merged. */
async function mergeOfReferrer(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  await shop.link(id('erin'), id('old-referrer'));
  let merge: Promise<unknown> | undefined;
  await whileHeld(context, shop, 'decision-written', async (pause) => {
    await shop.syncUntilAccepted([order(id('erin-1'), id('erin'))]);
    await pause.reached();
    merge = inBackground(
      mergeMember(shop, id('old-referrer'), id('surviving-referrer'), id('merge-referrer')),
    );
    await setTimeout(heldMs);
  });
  await merge;
  await waitUntilDecided(shop, id('erin-1'));
}

async function raceMerges(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  const { signal } = context;
  // A member who was merged long before: nothing but the alias leads their next order to the survivor.
  await shop.link(id('anna'), id('rex'));
  await shop.syncUntilAccepted([order(id('anna-old-1'), id('anna-old'))]);
  await waitUntilStored(shop, id('anna-old-1'));
  await mergeMember(shop, id('anna-old'), id('anna'), id('merge-anna'));
  for (const race of [mergeBeforeCommit, mergeWhileDue, mergesAtOnce]) {
    if (signal.aborted) return;
    await race(context, shop, id);
  }
  await setTimeout(settledMs, undefined, { signal }).catch(() => undefined);
  await shop.syncUntilAccepted([order(id('anna-old-2'), id('anna-old'))]);
  await waitUntilStored(shop, id('anna-old-2'));
}

/** The order is stored under the former id when the merge has been answered. */
async function mergeBeforeCommit(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  await shop.link(id('bert'), id('rex'));
  // Known without an order: the merge would change it, and be held too.
  await shop.link(id('bert-friend'), id('bert-old'));
  await whileHeld(context, shop, 'order-uncommitted', async (pause) => {
    await shop.syncUntilAccepted([order(id('bert-old-1'), id('bert-old'))]);
    await pause.reached();
    await mergeMember(shop, id('bert-old'), id('bert'), id('merge-bert'));
    await setTimeout(heldForSweepersMs);
  });
}

/**
 * A rewarded order is sent again with a member who has no referrer. Its evaluation, which takes the reward back, has begun when that
 * member is merged.
 */
async function mergeWhileDue(context: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  await shop.link(id('cora'), id('rex'));
  await shop.syncUntilAccepted([order(id('cora-1'), id('cora'))]);
  await waitUntilDecided(shop, id('cora-1'));
  await whileHeld(context, shop, 'orders-claimed', async (pause) => {
    await shop.syncUntilAccepted([order(id('cora-1'), id('cora-guest'))]);
    await pause.reached();
    await shop.call(mergeCall(id('cora-guest'), id('cora-new'), id('merge-cora')));
  });
  await mergeMember(shop, id('cora-guest'), id('cora-new'), id('merge-cora'));
}

/** Members with a referrer each are merged while orders of both are sent. */
async function mergesAtOnce({ random }: ScenarioContext, shop: Shop, id: Ids): Promise<void> {
  const members = Array.from({ length: merges }, (_, index) => `twin-${index}`);
  const pausesMs = members.map(() => random.between(0, 300));
  await Promise.all(
    members.map(async (member, index) => {
      const [from, into] = [id(`${member}-old`), id(member)];
      await Promise.all([shop.link(into, id('rex')), shop.link(from, id('roy'))]);
      await Promise.all([
        shop.syncUntilAccepted([order(`${into}-1`, into), order(`${into}-2`, from)]),
        setTimeout(pausesMs[index]).then(() => mergeMember(shop, from, into, `${into}-merge`)),
        setTimeout(pausesMs[index]).then(() => shop.syncUntilAccepted([order(`${into}-3`, from)])),
      ]);
    }),
  );
}

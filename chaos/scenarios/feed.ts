import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import { whileEventLocked } from '../service/lock-event.ts';
import { makeOrder } from '../shop/make-order.ts';
import { waitUntilDecided, waitUntilStored } from '../shop/member-calls.ts';
import type { ObservedEvent } from '../shop/observe-shop.ts';
import type { Shop } from '../shop/open-shop.ts';
import { openFeedReader } from '../shop/read-feed.ts';
import type { FeedReader } from '../shop/read-feed.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** Events of a page, for each reader. */
const limits = [1, 3, 10, 50];

/** How long other readers are waited for that have to wait for the first one, in milliseconds. */
const meetWithinMs = 2_500;

/** Requests of orders that are sent while all readers read, and orders in each. */
const requests = 8;
const ordersOfRequest = 4;

/** Readers of the feed meet events that are being committed, numbered, or locked. */
export const feed: Scenario = {
  name: 'feed',
  what: 'Four readers read the event feed in pages of 1 to 50 events while transactions commit in another order than they began',
  situation: 'a reader had given events their positions, and not committed them, when other readers came',
  besideFaults: false,
  async run(context) {
    const shop = await context.shop('shop');
    const events = collectEvents(shop);
    const readers = limits.map((limit) =>
      openFeedReader(shop, `${context.round} with pages of ${limit}`, limit),
    );
    await commitsBeforeEarlier(context, shop, readers);
    await readersMeet(context, shop, readers);
    await revocationOfLocked(context, shop, readers, events);
    await readWhileWritten(context, shop, readers);
    const until = now();
    await readAll(readers);
    for (const { reader, events: seen, refused } of readers) {
      const row = { reader, events: seen, until, refused };
      context.service.ledger.write({ kind: 'observed', shop: shop.name, what: 'feed readings', rows: [row] });
    }
  },
};

const readAll = (readers: readonly FeedReader[]) => Promise.all(readers.map((one) => one.readToEnd()));

/** The events that the webhook of the shop gets from now on. */
function collectEvents(shop: Shop): ObservedEvent[] {
  const events: ObservedEvent[] = [];
  shop.webhooks[0]?.receiver.respond(({ body, response }) => {
    events.push(JSON.parse(body.toString()) as ObservedEvent);
    response.writeHead(204).end();
  });
  return events;
}

/** Sends an order of a member who was referred, which earns two rewards. */
async function sendOrder(shop: Shop, member: string): Promise<string> {
  await shop.link(member, `${member}-referrer`);
  const id = `${member}-1`;
  await shop.syncUntilAccepted([makeOrder({ order_id: id, member_id: member })]);
  return id;
}

/** The transaction that wrote its events last commits first, and is read before the other one commits. */
async function commitsBeforeEarlier(
  { service, round }: ScenarioContext,
  shop: Shop,
  readers: FeedReader[],
): Promise<void> {
  const pause = await service.pausePoints.pause('event-uncommitted', shop.merchantId);
  let early: string;
  try {
    early = await sendOrder(shop, `${round}-early`);
    await pause.reached();
    await pause.letOthersPass();
    await waitUntilDecided(shop, await sendOrder(shop, `${round}-late`));
    await readAll(readers);
  } finally {
    await pause.release();
  }
  await waitUntilDecided(shop, early);
  await readAll(readers);
}

/** One reader gives events their positions. Before it commits them more events are written, and the other readers come. */
async function readersMeet(
  { service, round, reached }: ScenarioContext,
  shop: Shop,
  readers: FeedReader[],
): Promise<void> {
  const [first, ...others] = readers as [FeedReader, ...FeedReader[]];
  await waitUntilDecided(shop, await sendOrder(shop, `${round}-numbered`));
  const pause = await service.pausePoints.pause('event-numbered', shop.merchantId);
  let reading: Promise<unknown>;
  try {
    const numbering = inBackground(first.readPage());
    await pause.reached();
    await waitUntilDecided(shop, await sendOrder(shop, `${round}-meanwhile`));
    reading = inBackground(Promise.all([numbering, ...others.map((one) => one.readToEnd())]));
    if (await pause.untilBlocks(1, meetWithinMs)) reached();
  } finally {
    await pause.release();
  }
  await reading;
  await readAll(readers);
}

/** An issue has no position yet and is locked by another transaction when the reward is revoked and the feed is read. */
async function revocationOfLocked(
  { service, round }: ScenarioContext,
  shop: Shop,
  readers: FeedReader[],
  events: readonly ObservedEvent[],
): Promise<void> {
  const id = await sendOrder(shop, `${round}-revoked`);
  const find = (type: string) =>
    waitFor(() => events.find((one) => one.type === type && one.data.order.order_id === id), {
      deadlineMs: 30_000,
      everyMs: 20,
      what: `${type} of ${id}`,
    });
  const issue = await find('reward.issue');
  await whileEventLocked(service, shop.merchantId, issue.id, async () => {
    const cancelled = { member_id: `${round}-revoked`, cancelled_at: new Date().toISOString() };
    await shop.syncUntilAccepted([makeOrder({ order_id: id, ...cancelled })]);
    await find('reward.revoke');
    await readAll(readers);
  });
  await readAll(readers);
}

/** Orders are paid and cancelled, and their commits held for moments, while all readers read on. */
async function readWhileWritten(
  { service, round, random, signal }: ScenarioContext,
  shop: Shop,
  readers: FeedReader[],
): Promise<void> {
  const over = new AbortController();
  const reading = inBackground(
    Promise.all(
      readers.map(async (one) => {
        while (!over.signal.aborted) {
          await one.readPage();
          await setTimeout(20);
        }
      }),
    ),
  );
  try {
    for (let request = 0; request < requests && !signal.aborted; request += 1) {
      const members = Array.from({ length: ordersOfRequest }, (_, index) => `${round}-${request}-${index}`);
      const held = random.chance(0.5)
        ? await service.pausePoints.pause('event-uncommitted', shop.merchantId)
        : undefined;
      const orders = await Promise.all(members.map((member) => sendOrder(shop, member)));
      await setTimeout(random.between(50, 300));
      await held?.release();
      await Promise.all(orders.map((id) => waitUntilDecided(shop, id)));
      const cancelled = members.filter(() => random.chance(0.5));
      if (cancelled.length > 0) await cancelOrders(shop, cancelled);
    }
  } finally {
    over.abort();
    await reading;
  }
}

/** Cancels the orders of members, and waits for the decisions about that. */
async function cancelOrders(shop: Shop, members: string[]): Promise<void> {
  const cancelled_at = new Date().toISOString();
  const orders = members.map((id) => makeOrder({ order_id: `${id}-1`, member_id: id, cancelled_at }));
  await shop.syncUntilAccepted(orders);
  for (const { order_id: id } of orders) {
    await waitUntilStored(shop, id, (order) => order.cancelled_at !== null);
    await waitUntilDecided(shop, id);
  }
}

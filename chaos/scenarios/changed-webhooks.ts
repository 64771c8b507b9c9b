import { setTimeout } from 'node:timers/promises';
import { now } from '../ledger/clock.ts';
import type { Shop, ShopWebhook } from '../shop/open-shop.ts';
import { sendRewardedOrders, waitForAccepted, warmUp } from '../shop/rewarded-orders.ts';
import { succeed } from '../shop/start-receiver.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** Orders that are sent before each change. Each earns two rewards, so events wait behind the requests that are in flight. */
const orders = 8;

/** How long after the answer to its command a change applies to every request, in milliseconds. */
const appliesAfterMs = 3_000;
/** How long nothing may arrive, in milliseconds. */
const watchedForMs = 2_000;

/** Webhooks are paused, resumed and deleted, and their signing key is rotated, while events are sent to them. */
export const changedWebhooks: Scenario = {
  name: 'changed-webhooks',
  what: 'A webhook is paused and resumed, one is deleted, and the signing key is rotated, while events are sent',
  situation: 'a webhook was paused while it had requests in flight and events were waiting for it',
  besideFaults: false,
  ownChecks: [
    { name: 'nothing-sent-while-held', promise: 'Nothing is sent to a webhook that is paused or deleted' },
  ],
  async run(context) {
    const shop = await context.shop('shop');
    const [kept] = shop.webhooks as [ShopWebhook];
    const deleted = await shop.addWebhook();
    await warmUp(shop, context.round);
    await pauseInFlight(context, shop, kept);
    await rotateInFlight(context, shop, kept);
    await deleteInFlight(context, shop, deleted);
  },
};

/** Sends orders, and calls `change` while a webhook has requests in flight. Resolves with how many deliveries it accepts in the end. */
async function whileInFlight(
  shop: Shop,
  { receiver }: ShopWebhook,
  prefix: string,
  change: () => Promise<unknown>,
): Promise<number> {
  const expected = receiver.accepted.size + 2 * orders;
  let answer = () => undefined as void;
  const changed = new Promise<void>((resolve) => (answer = resolve));
  receiver.respond(async (incoming) => {
    await changed;
    await succeed(incoming);
  });
  try {
    const first = receiver.next();
    await sendRewardedOrders(shop, prefix, orders);
    await first;
    await change();
  } finally {
    answer();
    receiver.respond(succeed);
  }
  return expected;
}

/** Looks that nothing arrives at a webhook for a while, from when a change applies to every request. */
async function getsNothing(context: ScenarioContext, { receiver }: ShopWebhook, what: string): Promise<void> {
  await setTimeout(appliesAfterMs);
  const before = receiver.count();
  await setTimeout(watchedForMs);
  const arrived = receiver.count() - before;
  const problems = arrived > 0 ? [`${arrived} requests arrived at a webhook that ${what}`] : [];
  context.checked('nothing-sent-while-held', 1, problems);
}

async function pauseInFlight(context: ScenarioContext, shop: Shop, webhook: ShopWebhook): Promise<void> {
  const { admin } = context.service;
  const words = ['--merchant', shop.merchantId, '--webhook', webhook.id];
  const expected = await whileInFlight(shop, webhook, `${context.round}-paused`, () =>
    admin('webhook', 'pause', ...words),
  );
  await getsNothing(context, webhook, 'is paused');
  if (webhook.receiver.accepted.size < expected) context.reached();
  await admin('webhook', 'resume', ...words);
  await waitForAccepted(webhook, expected);
}

/** Both keys sign for a day: docs/webhooks.md, Headers. */
async function rotateInFlight(
  { service, round }: ScenarioContext,
  shop: Shop,
  webhook: ShopWebhook,
): Promise<void> {
  const expected = await whileInFlight(shop, webhook, `${round}-rotated`, async () => {
    const at = now();
    const { signingSecret } = await service.admin<{ signingSecret: string }>(
      'signing-key',
      'rotate',
      '--merchant',
      shop.merchantId,
    );
    service.ledger.write({
      kind: 'act',
      at,
      until: now(),
      shop: shop.name,
      act: 'rotate key',
      details: { signingSecret },
    });
  });
  await waitForAccepted(webhook, expected);
  await setTimeout(appliesAfterMs);
  await warmUp(shop, `${round}-rotated-later`);
}

async function deleteInFlight(context: ScenarioContext, shop: Shop, webhook: ShopWebhook): Promise<void> {
  const { admin } = context.service;
  await whileInFlight(shop, webhook, `${context.round}-deleted`, () =>
    admin('webhook', 'delete', '--merchant', shop.merchantId, '--webhook', webhook.id, '--yes'),
  );
  // Its deliveries cannot be read any more.
  shop.webhooks.splice(shop.webhooks.indexOf(webhook), 1);
  await getsNothing(context, webhook, 'is deleted');
  await webhook.receiver.close();
}

import { setTimeout } from 'node:timers/promises';
import { findSender } from '../service/find-sender.ts';
import type { ShopWebhook } from '../shop/open-shop.ts';
import { sendRewardedOrders, waitForAccepted, warmUp } from '../shop/rewarded-orders.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** Orders of the backlog. Each earns two rewards. */
const backlog = 10;

/** The lock of a job lasts for this time, in milliseconds, and its worker renews it. */
const lockMs = 10_000;

/**
 * The receiver answers after this time, in milliseconds: so late that a worker has the webhook for longer than the lock of a job lasts.
 * Requests that come later than `slowForMs` after the first one are answered at once.
 */
const answersAfterMs = 9_000;
const slowForMs = 17_500;
/** Its first answers are failures: they do not raise the number of requests that it gets at a time. */
const failuresAtFirst = 4;

/** Orders that are sent at most, one after the other, until both workers have had the webhook. */
const attempts = 30;

/** A receiver answers late while events wait for it. */
export const slowReceivers: Scenario = {
  name: 'slow-receivers',
  what: 'A receiver answers after 9 s, with failures first, while events wait for it',
  situation: 'two workers had the webhook, one of them for longer than the lock of a job lasts',
  besideFaults: false,
  async run(context) {
    const { round, signal } = context;
    const shop = await context.shop('shop');
    const [webhook] = shop.webhooks as [ShopWebhook];
    await warmUp(shop, round);
    const workers = answerSlowly(context, webhook);
    let expected = webhook.receiver.accepted.size + 2 * backlog;
    await sendRewardedOrders(shop, `${round}-backlog`, backlog);
    await waitForAccepted(webhook, expected);
    for (let attempt = 0; attempt < attempts && workers.size < 2 && !signal.aborted; attempt += 1) {
      await sendRewardedOrders(shop, `${round}-later-${attempt}`, 1);
      await waitForAccepted(webhook, (expected += 2));
    }
    const heldMs = Math.max(
      0,
      ...Array.from(workers.values(), (times) => (times.at(-1) ?? 0) - (times[0] ?? 0)),
    );
    if (workers.size >= 2 && heldMs > lockMs) context.reached();
  },
};

/** Returns the workers that have sent something, with the times at which their requests arrived while there was a backlog. */
function answerSlowly({ service }: ScenarioContext, { receiver }: ShopWebhook): Map<string, number[]> {
  const workers = new Map<string, number[]>();
  let firstAt: number | undefined;
  let failures = 0;
  receiver.respond(async ({ at, response }) => {
    const sender = response.socket && findSender(service.stack, response.socket);
    firstAt ??= at;
    if (sender) {
      const times = workers.get(sender) ?? [];
      // The requests that follow the last late answers are the last ones of the backlog.
      if (at - firstAt < 2 * answersAfterMs + 5_000) times.push(at);
      workers.set(sender, times);
    }
    const isSlow = at - firstAt < slowForMs;
    const fails = isSlow && failures < failuresAtFirst;
    if (fails) failures += 1;
    if (isSlow) await setTimeout(answersAfterMs);
    response.writeHead(fails ? 500 : 204).end();
  });
  return workers;
}

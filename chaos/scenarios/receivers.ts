import { setTimeout } from 'node:timers/promises';
import { inBackground } from '../in-background.ts';
import { badAnswers } from '../shop/bad-answers.ts';
import type { Shop, ShopWebhook } from '../shop/open-shop.ts';
import { sendRewardedOrders, waitForAccepted, warmUp } from '../shop/rewarded-orders.ts';
import { succeed } from '../shop/start-receiver.ts';
import type { Incoming } from '../shop/start-receiver.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** Orders that are sent at once. Each earns two rewards, so each webhook gets two events of it. */
const orders = 16;

/** How long after an answer requests that were sent before it may arrive, in milliseconds. */
const inFlightMs = 2_000;
const retryAfterSeconds = 3;
/** The first probe of an open breaker follows after 10 s: a longer gap than this means that the breaker was open, in milliseconds. */
const probeGapMs = 6_000;
/** Nothing may arrive at a disabled webhook, which is watched for this time, in milliseconds. */
const watchedMs = 3_000;

const noticeTypes = ['endpoint.failing', 'endpoint.disabled'];

/** Receivers answer in every way that docs/webhooks.md names. No delivery fails twice, so all of them arrive within seconds. */
export const receivers: Scenario = {
  name: 'receivers',
  what: 'Receivers answer in every bad way: one asks for a pause, one is gone, and one fails until its breaker has opened twice',
  situation: 'every bad answer was given, and a breaker opened twice',
  besideFaults: false,
  ownChecks: [
    { name: 'waits-as-told', promise: 'After a Retry-After nothing is sent before its time' },
    { name: 'redirects-not-followed', promise: 'A redirect is not followed' },
    { name: 'gone-is-disabled', promise: 'After a 410 nothing more is sent to the webhook' },
  ],
  async run(context) {
    const { round } = context;
    const shop = await context.shop('shop', { webhooks: 4 });
    const [bad, later, gone, failing] = shop.webhooks as [ShopWebhook, ShopWebhook, ShopWebhook, ShopWebhook];
    // It gets the notices about the others.
    if (shop.webhooks.length === 4) await shop.addWebhook({ events: ['reward.issue', ...noticeTypes] });
    await warmUp(shop, round);
    const all = [bad, later, gone, failing];
    const expected = all.map(({ receiver }) => receiver.accepted.size + 2 * orders);
    const given = answerBadly(bad);
    const paused = askForPause(later);
    const opened = failUntilOpenTwice(failing);
    const disabled = inBackground(beGone(context, shop, gone));
    await sendRewardedOrders(shop, round, orders);
    await disabled;
    await Promise.all(all.map((one, index) => waitForAccepted(one, expected[index] ?? 0)));
    context.checked('waits-as-told', 1, paused.problems);
    const followed = bad.receiver.countElsewhere();
    context.checked('redirects-not-followed', 1, followed > 0 ? [`${followed} redirects were followed`] : []);
    for (const { receiver } of all) receiver.respond(succeed);
    if (given.size === badAnswers('').length && opened() >= 2) context.reached();
  },
};

/** Each delivery gets another answer at first, and then 204. Returns the answers that were given. */
function answerBadly({ receiver }: ShopWebhook): ReadonlySet<string> {
  const answers = badAnswers(`${receiver.url}/moved`);
  const given = new Set<string>();
  let next = 0;
  receiver.respond((incoming) => {
    const answer = incoming.attempt === 1 ? answers[next++ % answers.length] : undefined;
    if (!answer) return void succeed(incoming);
    given.add(answer.what);
    answer.answer(incoming);
  });
  return given;
}

/** Answers `Retry-After` to the first request and to those that are in flight with it, and looks that nothing comes until then. */
function askForPause({ receiver }: ShopWebhook): { problems: string[] } {
  const problems: string[] = [];
  let askedAt: number | undefined;
  receiver.respond((incoming) => {
    const waitedMs = incoming.at - (askedAt ??= incoming.at);
    if (waitedMs < inFlightMs)
      return void incoming.response.writeHead(503, { 'retry-after': String(retryAfterSeconds) }).end();
    if (waitedMs < retryAfterSeconds * 1_000)
      problems.push(`a request arrived ${Math.round(waitedMs)} ms after Retry-After: ${retryAfterSeconds}`);
    return void succeed(incoming);
  });
  return { problems };
}

/** Answers 410 until the webhook has been disabled for a while, and is enabled again. */
async function beGone(context: ScenarioContext, shop: Shop, { id, receiver }: ShopWebhook): Promise<void> {
  const first = receiver.next();
  receiver.respond(({ response }) => void response.writeHead(410).end());
  await first;
  await setTimeout(inFlightMs);
  const before = receiver.count();
  await setTimeout(watchedMs);
  const arrived = receiver.count() - before;
  context.checked('gone-is-disabled', 1, arrived > 0 ? [`${arrived} requests arrived after a 410`] : []);
  receiver.respond(succeed);
  await context.service.admin('webhook', 'enable', '--merchant', shop.merchantId, '--webhook', id);
}

/**
 * Fails the first time for each delivery, until its breaker has opened for the second time. After a gap a request is a probe. Returns how
 * often the breaker has opened.
 */
function failUntilOpenTwice({ receiver }: ShopWebhook): () => number {
  let probes = 0;
  let lastAt: number | undefined;
  receiver.respond(({ at, attempt, response }: Incoming) => {
    const isProbe = at - (lastAt ?? at) > probeGapMs;
    if (isProbe) probes += 1;
    lastAt = at;
    const fails = !isProbe && probes < 2 && attempt === 1;
    response.writeHead(fails ? 500 : 204).end();
  });
  return () => probes;
}

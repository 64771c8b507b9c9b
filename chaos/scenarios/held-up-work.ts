import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { whileFrozen } from '../faults/freeze-process.ts';
import { killProcess } from '../faults/kill-process.ts';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import { percentile } from '../outage-times.ts';
import { findSender } from '../service/find-sender.ts';
import type { PausePoint } from '../service/pause-points.ts';
import type { Service } from '../service/open-service.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Shop, ShopWebhook } from '../shop/open-shop.ts';
import { warmUp } from '../shop/rewarded-orders.ts';
import type { Incoming } from '../shop/start-receiver.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** A kind of worker, where its work is held when it goes, and how long that may hold up orders or deliveries, in milliseconds (p99). */
interface Held {
  worker: string;
  /** Nothing: its requests to the receiver are not answered. */
  point?: PausePoint;
  limitMs: number;
}

const kinds: readonly Held[] = [
  { worker: 'sync', point: 'order-uncommitted', limitMs: 20_000 },
  { worker: 'reward-evaluation', point: 'decision-written', limitMs: 20_000 },
  { worker: 'webhook-delivery', limitMs: 35_000 },
];

const ways = ['killed', 'frozen'] as const;

/** Orders that are sent around each fault, one every `everyMs` milliseconds. Each earns two rewards. */
const orders = 60;
const everyMs = 100;

/** Work was held up if a webhook arrived later than this after the 202, in milliseconds: for less than a lock lasts, and more than a pause. */
const heldUpMs = 5_000;

/** The worker that goes is chosen before the work is handed out, and can have none of it; then all is done again. */
const attempts = 5;

/**
 * A worker of each kind is killed, and then frozen, in the middle of its work, while orders arrive of which each earns a reward. The time
 * from the 202 to the webhook shows how long the work of a worker that is gone waits for another one.
 */
export const heldUpWork: Scenario = {
  name: 'held-up-work',
  what: 'A worker of each kind is killed, and another one frozen, in the middle of its work, while orders arrive that earn a reward',
  situation: 'each fault held up a webhook for more than five seconds',
  besideFaults: false,
  ownChecks: [
    {
      name: 'work-continues',
      promise:
        'The work of a worker that is killed or frozen continues: orders within 20 s, deliveries within 35 s (p99)',
    },
  ],
  alone: true,
  onlyByName: true,
  async run(context) {
    const shop = await context.shop('shop');
    await warmUp(shop, context.round);
    let heldUp = 0;
    for (const held of kinds)
      for (const way of ways)
        for (let attempt = 0; attempt < attempts && !context.signal.aborted; attempt += 1)
          if (await measure(context, shop, held, way, attempt)) {
            heldUp += 1;
            break;
          }
    if (heldUp === kinds.length * ways.length) context.reached();
  },
};

/** Makes a worker go while orders are sent, and waits until their webhooks have arrived. Returns whether one of them was held up. */
async function measure(
  context: ScenarioContext,
  shop: Shop,
  held: Held,
  way: (typeof ways)[number],
  attempt: number,
): Promise<boolean> {
  const { service, random, round } = context;
  const { worker, limitMs } = held;
  const name = `${worker}-${random.integer(1, 2)}`;
  const key = `${round}-${name}-${way}-${attempt}`;
  const ids = Array.from({ length: orders }, (_, index) => `${key}-${index}`);
  const accepted = new Map<string, number>();
  const answers = answerEvents(service, shop);
  await Promise.all(ids.map((id) => shop.link(id, `${key}-referrer`)));
  const sendAll = async () => {
    for (const id of ids) {
      await shop.syncUntilAccepted([makeOrder({ order_id: id, member_id: id })]);
      accepted.set(id, now());
      await setTimeout(everyMs);
    }
  };
  const eventsOf = (id: string) => roles.map((role) => answers.at.get(`${id} ${role}`));
  const allArrived = () => ids.every((id) => eventsOf(id).every((at) => at !== undefined));
  const arrived = inBackground(
    // What has not arrived by then counts as not arrived.
    sendAll().then(() =>
      waitFor(allArrived, { deadlineMs: 2 * limitMs, everyMs: 20, what: 'all webhooks' }).catch(
        () => undefined,
      ),
    ),
  );
  await setTimeout((orders * everyMs) / 3);
  const release = await holdWork(service, shop, held, name, answers);
  if (way === 'killed') {
    service.atNextExit(name, () => void release());
    await Promise.all([killProcess(service, name, 'SIGKILL'), arrived]);
  } else {
    await whileFrozen(service, name, async () => {
      await release();
      await arrived;
    });
  }
  const waited = ids.flatMap((id) =>
    eventsOf(id).map((at) => (at ?? Number.POSITIVE_INFINITY) - (accepted.get(id) ?? 0)),
  );
  const [p99, longest] = [percentile(waited, 0.99), Math.max(...waited)];
  context.checked(
    'work-continues',
    waited.length,
    p99 <= limitMs
      ? []
      : [`${name} was ${way}: p99 from the 202 to the webhook ${p99} ms, not ${limitMs} ms`],
  );
  if (longest <= heldUpMs) return false;
  context.measured(`${worker} was ${way}: p99 from the 202 to the webhook`, p99);
  context.measured(`${worker} was ${way}: the longest time`, longest);
  return true;
}

/** Holds work of a worker in the middle. Returns what lets it go on, for the worker itself or for whoever takes its work. */
async function holdWork(
  service: Service,
  shop: Shop,
  { point }: Held,
  name: string,
  answers: Answers,
): Promise<() => Promise<void>> {
  if (point === undefined) return answers.hold(name);
  const pause = await service.pausePoints.pause(point, shop.merchantId);
  // Meanwhile each worker that can have some of the work takes it.
  await pause.reached();
  await setTimeout(1_000);
  return () => pause.release();
}

const roles = ['referee', 'referrer'] as const;

interface Answers {
  /** When each event was answered with 2xx first, by order and role. */
  at: ReadonlyMap<string, number>;
  /**
   * Answers nothing any more, and resolves when a worker waits for an answer. The result answers all that wait, but not that worker: it
   * never gets an answer.
   */
  hold(name: string): Promise<() => Promise<void>>;
}

/** Answers the events of a shop with 204, and writes down when. */
function answerEvents(service: Service, shop: Shop): Answers {
  const [webhook] = shop.webhooks as [ShopWebhook];
  const at = new Map<string, number>();
  /** What waits for its answer, with its sender; undefined while nothing is held. */
  let held: { incoming: Incoming; sender: string | undefined }[] | undefined;
  const answer = ({ body, response }: Incoming) => {
    const { data } = JSON.parse(body.toString()) as { data: { order: { order_id: string }; role: string } };
    const of = `${data.order.order_id} ${data.role}`;
    if (!at.has(of)) at.set(of, now());
    response.writeHead(204).end();
  };
  webhook.receiver.respond((incoming) => {
    if (held === undefined) return answer(incoming);
    const { socket } = incoming.response;
    held.push({ incoming, sender: socket ? findSender(service.stack, socket) : undefined });
  });
  return {
    at,
    async hold(name) {
      const waiting = (held = []) as NonNullable<typeof held>;
      await waitFor(() => waiting.some(({ sender }) => sender === name), {
        deadlineMs: 15_000,
        everyMs: 20,
        what: `a request of ${name}`,
      }).catch(() => undefined);
      return async () => {
        held = undefined;
        for (const { incoming, sender } of waiting)
          if (sender === name) incoming.response.destroy();
          else answer(incoming);
      };
    },
  };
}

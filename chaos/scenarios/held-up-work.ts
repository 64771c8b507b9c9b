import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { whileFrozen } from '../faults/freeze-process.ts';
import { killProcess } from '../faults/kill-process.ts';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import { makeOrder } from '../shop/make-order.ts';
import { percentile } from '../outage-times.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** How long work may be held up by a worker that is gone, in milliseconds: p99 from the 202 to the webhook. */
const limits = { sync: 20_000, 'reward-evaluation': 20_000, 'webhook-delivery': 35_000 };

const roles = ['referee', 'referrer'] as const;
type Role = (typeof roles)[number];

const eventOf = (orderId: string, role: Role) => `${orderId} ${role}`;

/** Orders that are sent around each fault, one every `everyMs` milliseconds. */
const orders = 60;
const everyMs = 100;

/**
 * A worker of each kind is killed, and then frozen, while orders arrive of which each earns a reward. The time from the 202 to the webhook
 * shows how long the work of a worker that is gone waits for another one.
 */
export const heldUpWork: Scenario = {
  name: 'held-up-work',
  what: 'A worker of each kind is killed, and another one frozen, while orders arrive that earn a reward',
  situation: 'an order was accepted before a worker was gone, and its webhook arrived afterwards',
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
    for (const [worker, limitMs] of Object.entries(limits)) {
      if (context.signal.aborted) return;
      await measure(context, shop, worker, limitMs, 'killed', (name) =>
        killProcess(context.service, name, 'SIGKILL'),
      );
      await measure(context, shop, worker, limitMs, 'frozen', (name, arrived) =>
        whileFrozen(context.service, name, () => arrived),
      );
    }
  },
};

/** Sends orders, makes a worker go in the middle of them, and waits until their webhooks have arrived. */
async function measure(
  context: ScenarioContext,
  shop: Shop,
  worker: string,
  limitMs: number,
  what: string,
  makeGo: (name: string, arrived: Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const name = `${worker}-${context.random.integer(1, 2)}`;
  const key = `${context.round}-${name}-${what}`;
  const ids = Array.from({ length: orders }, (_, index) => `${key}-${index}`);
  const accepted = new Map<string, number>();
  /** When each of the two events of an order arrived first, by order and role. */
  const received = new Map<string, number>();
  const [webhook] = shop.webhooks;
  webhook?.receiver.respond(({ at, body, response }) => {
    const { data } = JSON.parse(body.toString()) as { data: { order: { order_id: string }; role: Role } };
    const of = eventOf(data.order.order_id, data.role);
    // Another one can be of the measurement before.
    if (of.startsWith(`${key}-`) && !received.has(of)) received.set(of, at);
    response.writeHead(204).end();
  });
  await Promise.all(ids.map((id) => shop.link(id, `${key}-referrer`)));
  const sendAll = async () => {
    for (const id of ids) {
      await shop.syncUntilAccepted([makeOrder({ order_id: id, member_id: id })]);
      accepted.set(id, now());
      await setTimeout(everyMs);
    }
  };
  const wait = { deadlineMs: 2 * limitMs, everyMs: 20, what: 'all webhooks' };
  // What has not arrived by then counts as not arrived.
  const arrived = inBackground(
    sendAll().then(() => waitFor(() => received.size === 2 * orders, wait).catch(() => undefined)),
  );
  await setTimeout((orders * everyMs) / 3);
  const goneAt = now();
  await Promise.all([makeGo(name, arrived), arrived]);
  const arrivals = ids.flatMap((id) =>
    roles.map((role) => ({
      acceptedAt: accepted.get(id) ?? 0,
      receivedAt: received.get(eventOf(id, role)) ?? Number.POSITIVE_INFINITY,
    })),
  );
  const waited = arrivals.map(({ acceptedAt, receivedAt }) => receivedAt - acceptedAt);
  if (arrivals.some(({ acceptedAt, receivedAt }) => acceptedAt < goneAt && receivedAt > goneAt))
    context.reached();
  const p99 = percentile(waited, 0.99);
  context.measured(`${worker} was ${what}: p99 from the 202 to the webhook`, p99);
  context.checked(
    'work-continues',
    waited.length,
    p99 <= limitMs
      ? []
      : [`${name} was ${what}: p99 from the 202 to the webhook ${Math.round(p99)} ms, not ${limitMs} ms`],
  );
}

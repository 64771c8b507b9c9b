import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { killProcess } from '../faults/kill-process.ts';
import { whileFrozen } from '../faults/freeze-process.ts';
import { whileReadOnly, whileWithoutConnections } from '../faults/postgres-faults.ts';
import { disturbConnection } from '../faults/proxy-faults.ts';
import { emptyRedis, whileRedisIsFull } from '../faults/redis-faults.ts';
import { tearRedisFile } from '../faults/torn-file.ts';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import type { Random } from '../random.ts';
import { linesOfLog, sizeOfLog } from '../service/read-log.ts';
import type { Service } from '../service/open-service.ts';
import { makeOrder } from '../shop/make-order.ts';
import { readOrder } from '../shop/member-calls.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** How long the servers are away, in milliseconds, and once for longer. */
const awayMs = 2_500;
const longAwayMs = 7_000;

/** The most lines that a process may log a minute during an outage. */
const linesPerMinute = 120;

/** A way in which a server is away, and what a shop notices of it. */
interface Outage {
  what: string;
  /** `refused`: orders are answered 503. `late`: orders are accepted, and not stored while it lasts. */
  effect: 'refused' | 'late' | 'none';
  inject(service: Service, random: Random): Promise<void>;
}

const away = () => setTimeout(awayMs);

const outages: readonly Outage[] = [
  {
    what: 'Redis is frozen and then killed',
    effect: 'refused',
    // A request that Redis has not read yet is lost with it.
    inject: (service) =>
      whileFrozen(service, 'redis', async () => {
        await setTimeout(600);
        await killProcess(service, 'redis', 'SIGKILL');
      }),
  },
  {
    what: 'Redis is frozen',
    effect: 'refused',
    inject: (service) => whileFrozen(service, 'redis', away),
  },
  {
    what: 'Redis is killed',
    effect: 'refused',
    inject: (service) => killProcess(service, 'redis', 'SIGKILL', { downMs: longAwayMs }),
  },
  {
    what: 'Redis is stopped',
    effect: 'refused',
    inject: (service) => killProcess(service, 'redis', 'SIGTERM'),
  },
  { what: 'the file of Redis ends in half a command', effect: 'refused', inject: tearRedisFile.inject },
  // What a shop notices of it depends on what is disturbed.
  { what: 'a connection is disturbed', effect: 'none', inject: disturbConnection.inject },
  { what: 'Redis is full', effect: 'refused', inject: (service) => whileRedisIsFull(service, 1.2, away) },
  { what: 'Redis is emptied', effect: 'none', inject: emptyRedis.inject },
  {
    what: 'PostgreSQL is stopped',
    effect: 'late',
    inject: (service, random) =>
      killProcess(service, 'postgres', random.pick<NodeJS.Signals>(['SIGKILL', 'SIGINT']), {
        downMs: awayMs,
      }),
  },
  {
    what: 'PostgreSQL is frozen',
    effect: 'late',
    inject: (service) => whileFrozen(service, 'postgres', away),
  },
  {
    what: 'PostgreSQL is read only',
    effect: 'late',
    inject: (service) => whileReadOnly(service, away),
  },
  {
    what: 'PostgreSQL has no free connections',
    effect: 'late',
    inject: (service) => whileWithoutConnections(service, away),
  },
];

/**
 * Redis and PostgreSQL are away in every way, one after the other, while a client sends orders of its own: what was answered 202 must be
 * stored in the end.
 */
export const outage: Scenario = {
  name: 'outage',
  what: 'Redis is killed, frozen, full and emptied, and PostgreSQL killed, frozen, read only and without free connections, under load',
  situation:
    'without Redis orders were answered 503, without PostgreSQL they were accepted and stored more than a second later, and afterwards at once',
  besideFaults: false,
  ownChecks: [
    { name: 'log-lines-bounded', promise: 'During outages a process writes at most 120 lines a minute' },
  ],
  alone: true,
  async run(context) {
    const { service, random, signal } = context;
    const shop = await context.shop('shop', { webhooks: 0 });
    const from = now();
    const processes = service.names.filter((name) => name !== 'redis' && name !== 'postgres');
    const logged = new Map(processes.map((name) => [name, sizeOfLog(service.stack, name)]));
    const load = startLoad(shop, context);
    let noticed = 0;
    try {
      for (const { what, effect, inject } of outages) {
        if (signal.aborted) break;
        const before = load.seen(effect);
        await inject(service, random);
        // Also an order that was accepted at its end has been stored by then.
        await load.untilStored();
        if (effect === 'none' || load.seen(effect) > before) noticed += 1;
        else service.log(`nothing was noticed while ${what}`);
      }
    } finally {
      await load.stop();
    }
    if (noticed === outages.length) context.reached();
    const minutes = (now() - from) / 60_000;
    const counted = [...logged].map(([name, since]) => ({
      name,
      lines: linesOfLog(service.stack, name, since).length,
    }));
    context.checked(
      'log-lines-bounded',
      counted.length,
      counted
        .filter(({ lines }) => lines > linesPerMinute * Math.max(1, minutes))
        .map(({ name, lines }) => `${name} wrote ${lines} lines in ${minutes.toFixed(1)} minutes of outages`),
    );
  },
};

/** Orders of a request. Each is sent once, so that a request that was stored in part is seen. */
const ordersOfRequest = 3;
/** An order that is stored later than this after its acceptance has waited for PostgreSQL, in milliseconds. */
const lateAfterMs = 1_000;

interface Load {
  /** How often an effect was noticed. */
  seen(effect: Outage['effect']): number;
  /** Resolves when an order that is sent from now on is stored. */
  untilStored(): Promise<void>;
  stop(): Promise<void>;
}

/** Sends requests, one after the other to each API, and looks for some orders until they are stored. */
function startLoad(shop: Shop, { round, signal }: ScenarioContext): Load {
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted || signal.aborted;
  let [refused, late, accepted, stored] = [0, 0, 0, 0];
  const send = async (api: number) => {
    for (let index = 0; !isStopped(); index += 1) {
      const orders = Array.from({ length: ordersOfRequest }, (_, number) =>
        makeOrder({ order_id: `${round}-${api}-${index}-${number}`, member_id: `${round}-member` }),
      );
      const { status } = await shop.sync(orders, { api });
      if (status === 503) refused += 1;
      await setTimeout(20);
    }
  };
  const follow = async () => {
    for (let index = 0; !isStopped(); index += 1) {
      const id = `${round}-followed-${index}`;
      await shop.syncUntilAccepted([makeOrder({ order_id: id, member_id: `${round}-member` })]);
      const acceptedAt = now();
      accepted += 1;
      // Reads wait for PostgreSQL, too.
      while (!isStopped() && (await readOrder(shop, id)) === undefined) await setTimeout(20);
      if (now() - acceptedAt > lateAfterMs) late += 1;
      stored += 1;
    }
  };
  const working = inBackground(Promise.all([send(0), send(1), send(2), follow()]));
  return {
    seen: (effect) => (effect === 'refused' ? refused : late),
    async untilStored() {
      const from = accepted;
      await waitFor(() => isStopped() || stored > from, {
        deadlineMs: 60_000,
        what: 'an order to be stored',
      });
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

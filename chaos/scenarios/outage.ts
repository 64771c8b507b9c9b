import { setTimeout } from 'node:timers/promises';
import { killProcess } from '../faults/kill-process.ts';
import { whileFrozen } from '../faults/freeze-process.ts';
import { whileReadOnly, whileWithoutConnections } from '../faults/postgres-faults.ts';
import { emptyRedis, fillRedis } from '../faults/redis-faults.ts';
import { now } from '../ledger/clock.ts';
import { linesOfLog, sizeOfLog } from '../service/read-log.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Shop } from '../shop/open-shop.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** How long the servers are away, in milliseconds. */
const awayMs = 2_500;

/** The most lines that a process may log a minute during an outage. */
const linesPerMinute = 120;

/**
 * Redis and PostgreSQL are away in every way, one after the other, while a client sends orders of its own: what was answered 202 must be
 * stored in the end.
 */
export const outage: Scenario = {
  name: 'outage',
  what: 'Redis is killed, frozen, full and emptied, and PostgreSQL killed, frozen, read only and without free connections, under load',
  situation: 'a request was answered 503, and one was accepted afterwards',
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
    const sending = startSending(shop, context);
    const outages: (() => Promise<void>)[] = [
      // A request that Redis has not read yet is lost with it.
      () =>
        whileFrozen(service, 'redis', async () => {
          await setTimeout(600);
          await killProcess(service, 'redis', 'SIGKILL');
        }),
      () => whileFrozen(service, 'redis', () => setTimeout(awayMs)),
      () => killProcess(service, 'redis', 'SIGKILL'),
      () => fillRedis.inject(service, random),
      () => emptyRedis.inject(service, random),
      () => killProcess(service, 'postgres', random.pick<NodeJS.Signals>(['SIGKILL', 'SIGINT'])),
      () => whileFrozen(service, 'postgres', () => setTimeout(awayMs)),
      () => whileReadOnly(service, () => setTimeout(awayMs)),
      () => whileWithoutConnections(service, () => setTimeout(awayMs)),
    ];
    try {
      for (const one of outages) {
        if (signal.aborted) break;
        await one();
        await setTimeout(500);
      }
    } finally {
      await sending.stop();
    }
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

/** Sends requests, one after the other to each API, until it is stopped. */
function startSending(shop: Shop, { round, reached, signal }: ScenarioContext): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let refused = false;
  const send = async (api: number) => {
    for (let index = 0; !stopping.signal.aborted && !signal.aborted; index += 1) {
      const orders = Array.from({ length: ordersOfRequest }, (_, number) =>
        makeOrder({ order_id: `${round}-${api}-${index}-${number}`, member_id: `${round}-member` }),
      );
      const { status, outcome } = await shop.sync(orders, { api });
      if (status === 503) refused = true;
      if (outcome === 'ok' && refused) reached();
      await setTimeout(20);
    }
  };
  const sending = Promise.all([0, 1, 2].map(send));
  return {
    async stop() {
      stopping.abort();
      await sending;
    },
  };
}

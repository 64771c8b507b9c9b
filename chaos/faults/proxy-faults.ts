import { setTimeout } from 'node:timers/promises';
import type { TcpProxy } from '@rewardhook/local-stack';
import { proxied } from '../service/open-service.ts';
import type { Fault } from './fault.ts';

/** Bytes of requests that change something: BullMQ and the API write to Redis by scripts, and transactions end with a commit. */
const changes = { redis: 'evalsha', postgres: 'COMMIT' };

/** Disturbs a connection for a time. Resolves with a note for the ledger, if there is one. */
const disturbances: Record<string, (proxy: TcpProxy, options: Options) => Promise<string | undefined>> = {
  /** All connections are closed, and new ones refused. */
  async cut(proxy, { ms }) {
    proxy.set('cut');
    await setTimeout(ms);
    return undefined;
  },
  /** No traffic passes, and what is sent meanwhile is lost. */
  async stall(proxy, { ms }) {
    proxy.set('frozen');
    await setTimeout(ms);
    return undefined;
  },
  /** All traffic is delayed, in both directions. */
  async delay(proxy, { ms, delayMs }) {
    proxy.delay(delayMs);
    await setTimeout(ms);
    return `by ${delayMs} ms`;
  },
  /** A change is made, and the process does not get the answer. */
  async swallow(proxy, { ms, match }) {
    const isSwallowed = await proxy.swallowAnswer(match, AbortSignal.timeout(ms));
    return `${isSwallowed ? 'the' : 'no'} answer to ${match}`;
  },
};

interface Options {
  ms: number;
  delayMs: number;
  match: string;
}

/** Disturbs what one process and one server send to each other, for 0.5 to 5 s. */
export const disturbConnection: Fault = {
  name: 'disturb',
  weight: 5,
  async inject(service, random) {
    const { process, server } = random.pick(proxied);
    const kind = random.pick(Object.keys(disturbances));
    const [ms, delayMs] = [random.integer(500, 5_000), random.integer(20, 400)];
    const proxy = service.stack.proxy(process, server);
    await service.fault(kind, `${process} to ${server}`, `${ms} ms`, async (note) => {
      try {
        const noted = await disturbances[kind]?.(proxy, { ms, delayMs, match: changes[server] });
        if (noted !== undefined) note(noted);
      } finally {
        proxy.delay(0);
        proxy.set('open');
      }
      await service.stack.waitUntilReady(90_000);
    });
  },
};

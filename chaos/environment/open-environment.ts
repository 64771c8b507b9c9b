import { setTimeout } from 'node:timers/promises';
import { startStack } from '@rewardhook/local-stack';
import type { ProcessChange, Stack, WorkerCounts } from '@rewardhook/local-stack';
import { openQueueCounts } from '../../tests/harness/queue-counts.ts';
import type { QueueCounts } from '../../tests/harness/queue-counts.ts';
import { startLoad } from '../load/start-load.ts';
import type { Load, LoadOptions } from '../load/start-load.ts';
import { openMerchant } from './open-merchant.ts';
import type { Merchant } from './open-merchant.ts';

/** Everything that runs, the load on it, and what has to be known to judge it afterwards. */
export interface ChaosEnvironment {
  stack: Stack;
  shops: Merchant[];
  load: Load;
  queues: QueueCounts;
  /** Processes that ended other than by a SIGKILL of ours: each is a fault of theirs. */
  selfEnded: string[];
  /** The names of all processes and servers, those that are down right now included. */
  names: string[];
  /**
   * Resolves when a receiver has got a webhook and not answered it yet, so that its sender does not know what came
   * of it; or after 10 s without any.
   */
  nextReceived(): Promise<void>;
  close(): Promise<void>;
}

export interface EnvironmentOptions extends Omit<LoadOptions, 'apiUrl' | 'shops'> {
  dataDir: string;
  workers?: WorkerCounts;
  say: (line: string) => void;
  signal?: AbortSignal;
}

const prefix = '{chaos}';

/** Starts all of the service as processes of its own, two shops and the load. Wants a build. */
export async function openEnvironment(options: EnvironmentOptions): Promise<ChaosEnvironment> {
  const { dataDir, workers = {}, say, signal, ...loadOptions } = options;
  const selfEnded: string[] = [];
  let watching = true;
  const onChange = ({ name, died }: ProcessChange) => {
    if (!died || !watching || died.signal === 'SIGKILL') return;
    selfEnded.push(`${name} ended by itself (${died.signal ?? `code ${died.code}`})`);
  };
  const stack = await startStack({
    dataDir,
    fresh: true,
    ports: 'auto',
    workers,
    env: { QUEUE_PREFIX: prefix, LOG_LEVEL: 'warn', SWEEP_AFTER_SECONDS: '3' },
    onProgress: say,
    onChange,
    ...(signal ? { signal } : {}),
  });
  const queues = openQueueCounts(stack.redisUrl, prefix);
  const shops: Merchant[] = [];
  const close = async () => {
    watching = false;
    await Promise.all(shops.flatMap(({ webhooks }) => webhooks.map(({ receiver }) => receiver.close())));
    await queues.close();
    await stack.stop();
  };
  try {
    shops.push(...(await Promise.all(['one', 'two'].map((name) => openMerchant(stack, `Merchant ${name}`)))));
    const load = startLoad({ ...loadOptions, apiUrl: stack.apiUrl, shops });
    const receivers = shops.flatMap(({ webhooks }) => webhooks.map(({ receiver }) => receiver));
    const waiting: (() => void)[] = [];
    for (const receiver of receivers) {
      receiver.onReceived(() => waiting.splice(0).forEach((resolve) => resolve()));
    }
    const nextReceived = async () => {
      const done = new AbortController();
      const late = setTimeout(10_000, undefined, { signal: done.signal }).catch(() => undefined);
      await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), late]);
      done.abort();
    };
    const names = stack.processes().map(({ name }) => name);
    return { stack, shops, load, queues, selfEnded, names, nextReceived, close };
  } catch (error) {
    await close();
    throw error;
  }
}

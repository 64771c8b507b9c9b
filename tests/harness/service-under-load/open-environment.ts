import { startStack } from '@rewardhook/local-stack';
import type { ProcessChange, Stack, WorkerCounts } from '@rewardhook/local-stack';
import { withTimeout } from '@rewardhook/process';
import { openQueueCounts } from '../queue-counts.ts';
import type { QueueCounts } from '../queue-counts.ts';
import { startLoad } from './load/start-load.ts';
import type { Load, LoadOptions } from './load/start-load.ts';
import { openMerchant } from './open-merchant.ts';
import type { Merchant } from './open-merchant.ts';

/** The running service, the load on it, and what the final checks need. */
export interface LoadEnvironment {
  stack: Stack;
  merchants: Merchant[];
  load: Load;
  queues: QueueCounts;
  /** Processes that ended without a SIGKILL from a fault. Each is a defect. */
  unexpectedExits: string[];
  /** The names of all processes and servers, including those that are down at the moment. */
  names: string[];
  /**
   * Resolves when a receiver has a webhook that it has not answered yet: the sender does not have the outcome. Resolves
   * after 10 s without a webhook too.
   */
  nextReceived(): Promise<void>;
  close(): Promise<void>;
}

export interface EnvironmentOptions extends Omit<LoadOptions, 'apiUrl' | 'merchants'> {
  dataDir: string;
  workers?: WorkerCounts;
  log: (line: string) => void;
  signal?: AbortSignal;
}

const prefix = '{load}';

/** Starts every process of the service, two merchants and the load. The apps must be built. */
export async function openEnvironment(options: EnvironmentOptions): Promise<LoadEnvironment> {
  const { dataDir, workers = {}, log, signal, ...loadOptions } = options;
  const unexpectedExits: string[] = [];
  let running = true;
  const onChange = ({ name, exit }: ProcessChange) => {
    if (!exit || !running || exit.signal === 'SIGKILL') return;
    unexpectedExits.push(`${name} ended unexpectedly (${exit.signal ?? `code ${exit.code}`})`);
  };
  const stack = await startStack({
    dataDir,
    fresh: true,
    ports: 'auto',
    workers,
    env: { QUEUE_PREFIX: prefix, LOG_LEVEL: 'warn' },
    onProgress: log,
    onChange,
    ...(signal ? { signal } : {}),
  });
  const queues = openQueueCounts(stack.redisUrl, prefix);
  const merchants: Merchant[] = [];
  const close = async () => {
    running = false;
    await Promise.all(merchants.flatMap(({ webhooks }) => webhooks.map(({ receiver }) => receiver.close())));
    await queues.close();
    await stack.stop();
  };
  try {
    merchants.push(
      ...(await Promise.all(['one', 'two'].map((name) => openMerchant(stack, `Merchant ${name}`)))),
    );
    const load = startLoad({ ...loadOptions, apiUrl: stack.apiUrl, merchants });
    const receivers = merchants.flatMap(({ webhooks }) => webhooks.map(({ receiver }) => receiver));
    const waiting: (() => void)[] = [];
    for (const receiver of receivers) {
      receiver.onReceived(() => waiting.splice(0).forEach((resolve) => resolve()));
    }
    const nextReceived = async () => {
      const received = new Promise<void>((resolve) => waiting.push(resolve));
      await withTimeout(received, 10_000, 'no webhook').catch(() => undefined);
    };
    const names = stack.processes().map(({ name }) => name);
    return { stack, merchants, load, queues, unexpectedExits, names, nextReceived, close };
  } catch (error) {
    await close();
    throw error;
  }
}

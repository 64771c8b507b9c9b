import { join } from 'node:path';
import { freePort, openLogFile, startProcess, waitFor } from '@rewardhook/local-stack';
import type { RunningProcess } from '@rewardhook/local-stack';

/** The processes that take part in an order's way to a webhook. */
export const serviceNames = ['api', 'sync', 'reward-evaluation', 'webhook-delivery'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A process of a checkout. */
export interface Service {
  name: ServiceName;
  stop(): Promise<void>;
}

/**
 * Starts a process of a checkout from its sources, and waits until it is ready.
 * @throws with the end of its log when it ends or is not ready in time
 */
export async function startService(options: {
  name: ServiceName;
  /** The folder of the checkout. */
  checkout: string;
  environment: Record<string, string>;
  logs: string;
}): Promise<Service> {
  const { name, checkout, environment, logs } = options;
  const healthPort = await freePort();
  const log = openLogFile(join(logs, `${name}-${healthPort}.log`));
  let running: RunningProcess | undefined;
  try {
    running = await startProcess({
      command: process.execPath,
      args: ['--import', 'tsx', '-C', 'source', `apps/${name}/src/main.ts`],
      cwd: checkout,
      env: { ...process.env, ...environment, HEALTH_HOST: '127.0.0.1', HEALTH_PORT: String(healthPort) },
      log,
    });
    let ended = false;
    void running.exited.then(() => (ended = true));
    const isReady = async () => {
      if (ended) throw new Error(`${name} ended`);
      const answer = await fetch(`http://127.0.0.1:${healthPort}/health/ready`).catch(() => undefined);
      return answer?.ok ?? false;
    };
    await waitFor(isReady, { deadlineMs: 60_000, what: `${name} to be ready` });
  } catch (cause) {
    await running?.stop();
    throw new Error(`${name} of ${checkout} did not start:\n${log.tail()}`, { cause });
  }
  const started = running;
  return { name, stop: async () => void (await started.stop(10_000)) };
}

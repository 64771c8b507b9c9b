import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import type { Service } from '../service/open-service.ts';
import type { Fault } from './fault.ts';

/**
 * Ends a process or server with a signal, and resolves when it runs again and all processes are ready. `downMs`: for how many
 * milliseconds it is suspended when it starts again, before it has done anything; a server of a fast machine would be back at once.
 */
export async function killProcess(
  service: Service,
  name: string,
  signal: NodeJS.Signals,
  { downMs = 0 } = {},
): Promise<void> {
  const { stack } = service;
  const pidOf = () => service.pidOf(name);
  const before = await waitFor(pidOf, { deadlineMs: 90_000, what: `the start of ${name}` });
  await service.fault(signal === 'SIGKILL' ? 'kill' : 'stop', name, signal, async () => {
    stack.kill(name, signal);
    await waitFor(() => pidOf() !== before, { deadlineMs: 60_000, what: `the end of ${name}` });
    await waitFor(pidOf, { deadlineMs: 90_000, everyMs: 5, what: `the restart of ${name}` });
    if (downMs > 0) await suspend(service, name, downMs);
    await stack.waitUntilReady(90_000);
  });
}

async function suspend({ stack }: Service, name: string, ms: number): Promise<void> {
  stack.kill(name, 'SIGSTOP');
  try {
    await setTimeout(ms);
  } finally {
    stack.kill(name, 'SIGCONT');
  }
}

/** Kills a process or server under load. While Redis is killed, `sync` may be suspended: then accepted orders are in Redis only. */
export const kill: Fault = {
  name: 'kill',
  weight: 8,
  async inject(service, random) {
    const name = random.pick(service.names);
    await setTimeout(random.between(0, 300));
    const suspended = name === 'redis' ? service.names.filter((one) => one.startsWith('sync')) : [];
    for (const sync of suspended) service.stack.kill(sync, 'SIGSTOP');
    const resuming = setTimeout(500).then(() => {
      for (const sync of suspended) service.stack.kill(sync, 'SIGCONT');
    });
    await killProcess(service, name, 'SIGKILL');
    await resuming;
  },
};

/** Kills some processes and servers at the same moment. */
export const killSeveral: Fault = {
  name: 'kill-several',
  weight: 2,
  async inject(service, random) {
    const names = new Set(Array.from({ length: 4 }, () => random.pick(service.names)));
    await killAtOnce(service, [...names]);
  },
};

/** Kills everything at the same moment, as when a host fails. */
export const killAll: Fault = {
  name: 'kill-all',
  weight: 1,
  alone: true,
  inject: (service) => killAtOnce(service, service.names),
};

async function killAtOnce(service: Service, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => killProcess(service, name, 'SIGKILL')));
}

/** Stops any process or server under load as an update does. PostgreSQL would wait for its sessions at SIGTERM. */
export const stop: Fault = {
  name: 'stop',
  weight: 2,
  async inject(service, random) {
    const name = random.pick(service.names);
    await killProcess(service, name, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  },
};

import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import type { Service } from '../service/open-service.ts';
import type { Fault } from './fault.ts';

/** Suspends a process or server, calls `meanwhile`, and resumes it. Resolves when all processes are ready again. */
export async function whileFrozen(
  service: Service,
  name: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  // Another fault may have ended it.
  const pid = await waitFor(() => service.pidOf(name), {
    deadlineMs: 90_000,
    what: `the start of ${name}`,
  });
  await service.fault('freeze', name, 'SIGSTOP', async () => {
    const frozen = [pid, ...childrenOf(pid)];
    signal(frozen, 'SIGSTOP');
    try {
      await meanwhile();
    } finally {
      signal(frozen, 'SIGCONT');
    }
    await service.stack.waitUntilReady(90_000);
  });
}

/**
 * Suspends any process or server, for less or more than the time of a job's lock (10 s): after more, another worker has the job while
 * the first one continues it. Servers and APIs are suspended for at most 5 s, because everything waits for them.
 */
export const freeze: Fault = {
  name: 'freeze',
  weight: 4,
  async inject(service, random) {
    const name = random.pick(service.names);
    const isShared = /^(redis|postgres|api)/.test(name);
    const ms = random.between(500, isShared ? 5_000 : 14_000);
    await whileFrozen(service, name, () => setTimeout(ms));
  },
};

/** PostgreSQL has a process for each connection, which SIGSTOP to the parent does not stop. Linux lists them. */
function childrenOf(pid: number): number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return listed === '' ? [] : listed.split(' ').map(Number);
  } catch {
    return [];
  }
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended: another fault killed it, or its connection was closed.
    }
  }
}

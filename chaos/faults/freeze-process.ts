import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/**
 * Suspends a process and resumes it, after less or more than the time of a job's lock (10 s): after more, another worker
 * has the job while the first one continues it. Servers and the API are suspended for at most 5 s, because everything
 * waits for them.
 */
export const freeze: Fault = {
  name: 'freeze',
  weight: 4,
  async inject(environment, random) {
    const name = random.pick(environment.names);
    const isShared = ['redis', 'postgres', 'api'].includes(name);
    const ms = Math.round(random.between(500, isShared ? 5_000 : 14_000));
    await environment.load.nextAccepted();
    const pid = environment.stack.processes().find((one) => one.name === name)?.pid;
    if (pid === undefined) return `${name}: it was down`;
    const frozen = [pid, ...childrenOf(pid)];
    signal(frozen, 'SIGSTOP');
    try {
      await setTimeout(ms);
    } finally {
      signal(frozen, 'SIGCONT');
    }
    await environment.stack.waitUntilReady(90_000);
    return `${name} for ${ms} ms`;
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

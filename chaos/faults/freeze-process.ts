import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/**
 * Stops whatever runs in its tracks and lets it go on: shorter or longer than a job's lock (10 s), so that its
 * work is taken over while it believes that it still has it. A server is frozen for less: everything waits for it.
 */
export const freeze: Fault = {
  name: 'freeze',
  weight: 4,
  async strike(environment, random) {
    const name = random.pick(environment.names);
    const isShared = ['redis', 'postgres', 'api'].includes(name);
    const ms = Math.round(random.between(500, isShared ? 5_000 : 14_000));
    await environment.load.nextAccepted();
    const pid = environment.stack.processes().find((one) => one.name === name)?.pid;
    if (pid === undefined) return `${name}: it was just down`;
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

/** PostgreSQL has a process for each connection; they do not stop with their parent. Linux tells who they are. */
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
      // It has ended meanwhile: another fault killed it, or its connection was closed.
    }
  }
}

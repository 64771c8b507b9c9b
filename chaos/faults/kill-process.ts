import { waitFor } from '@rewardhook/local-stack';
import type { ChaosEnvironment } from '../environment/open-environment.ts';
import type { Fault } from './fault.ts';

/**
 * Ends a process or server by SIGKILL at a moment when it has something to lose, and waits until its successor runs
 * and all processes are ready.
 */
export async function killAtWork(environment: ChaosEnvironment, name: string): Promise<void> {
  const { stack, load } = environment;
  const pidOf = () => stack.processes().find((one) => one.name === name)?.pid;
  // Another fault may have it down already.
  const before = await waitFor(pidOf, { deadlineMs: 90_000, what: `the start of ${name}` });
  // While `sync` stands still, what is accepted is in Redis and nowhere else.
  const still = name === 'redis' ? environment.names.filter((one) => one.startsWith('sync')) : [];
  still.forEach((sync) => stack.kill(sync, 'SIGSTOP'));
  try {
    // A webhook that is not answered yet: its event is just committed, its delivery is not entered.
    const tells = name.startsWith('webhook-delivery') || name.startsWith('reward-evaluation');
    await (tells ? environment.nextReceived() : load.nextAccepted());
    stack.kill(name, 'SIGKILL');
    await waitFor(() => pidOf() !== before, { deadlineMs: 30_000, what: `the end of ${name}` });
  } finally {
    still.forEach((sync) => stack.kill(sync, 'SIGCONT'));
  }
  await waitFor(pidOf, { deadlineMs: 90_000, what: `the restart of ${name}` });
  await stack.waitUntilReady(90_000);
}

/** Kills whatever runs, under load. */
export const kill: Fault = {
  name: 'kill',
  weight: 5,
  async strike(environment, random) {
    const name = random.pick(environment.names);
    await killAtWork(environment, name);
    return name;
  },
};

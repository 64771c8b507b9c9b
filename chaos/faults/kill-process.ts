import { waitFor } from '@rewardhook/testing';
import type { Arena } from '../arena/open-arena.ts';
import { anyProcess } from './fault.ts';
import type { Fault } from './fault.ts';

/** Ends a process or server by SIGKILL, and waits until its successor runs and all processes are ready. */
export async function killProcess({ stack }: Arena, name: string): Promise<void> {
  const pidOf = () => stack.processes().find((one) => one.name === name)?.pid;
  const before = pidOf();
  if (before === undefined) throw new Error(`${name} does not run`);
  stack.kill(name, 'SIGKILL');
  const restarted = () => pidOf() !== undefined && pidOf() !== before;
  await waitFor(restarted, { deadlineMs: 90_000, what: `the restart of ${name}` });
  await stack.waitUntilReady(90_000);
}

/** Kills whatever runs, under load. */
export const kill: Fault = {
  name: 'kill',
  weight: 5,
  async strike(arena, random) {
    const name = anyProcess(arena, random);
    await arena.load.nextAccepted();
    await killProcess(arena, name);
    return name;
  },
};

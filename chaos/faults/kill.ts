import { killWhileWorking } from '../../tests/harness/service-under-load/kill-process.ts';
import type { Fault } from './fault.ts';

/** Kills any process or server under load. */
export const kill: Fault = {
  name: 'kill',
  weight: 5,
  async inject(environment, random) {
    const name = random.pick(environment.names);
    await killWhileWorking(environment, name);
    return name;
  },
};

import { freePorts, isPortFree } from '../processes/free-ports.ts';

/** The ports of a stack. */
export type Ports = Record<'api' | 'dashboard' | 'console' | 'postgres' | 'redis', number>;

const fixedPorts: Ports = { api: 3000, dashboard: 3001, console: 3002, postgres: 54329, redis: 63799 };

/** `fixed`: those of the README. `auto`: free ones. `preferred`: the fixed ones, and a free one where it is taken. */
export type PortChoice = 'fixed' | 'auto' | 'preferred';

/**
 * Chooses the ports of a stack.
 * @throws with `fixed`, when one of those needed is taken
 */
export async function choosePorts(choice: PortChoice, needed: (keyof Ports)[]): Promise<Ports> {
  const names = Object.keys(fixedPorts) as (keyof Ports)[];
  const free = await freePorts(names.length);
  const automatic = Object.fromEntries(names.map((name, index) => [name, free[index]])) as Ports;
  if (choice === 'auto') return automatic;
  const ports = { ...fixedPorts };
  const taken: string[] = [];
  for (const name of needed) {
    if (await isPortFree(fixedPorts[name])) continue;
    taken.push(`${fixedPorts[name]} (${name})`);
    ports[name] = automatic[name];
  }
  if (choice === 'fixed' && taken.length > 0) {
    const which = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(', ')} are`;
    throw new Error(`${which} used by another program. Stop it, or use free ports: --ports auto`);
  }
  return ports;
}

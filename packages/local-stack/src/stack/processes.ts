import { freePorts } from '../processes/free-ports.ts';

/** The processes that can run several times. */
const workerNames = ['sync', 'reward-evaluation', 'webhook-delivery', 'housekeeping'] as const;
export type WorkerName = (typeof workerNames)[number];

/** How many of each worker run; default 1. */
export type WorkerCounts = Partial<Record<WorkerName, number>>;

/** A process of the stack: its folder in `apps`, and its environment variables. */
export interface ProcessPlan {
  name: string;
  app: string;
  environment: Record<string, string>;
  /** The address of its health port. */
  healthUrl: string;
}

/** Settings for some processes only, by the name of a process or of an app; the name of a process has precedence. */
export type ProcessSettings = Record<string, Record<string, string>>;

/** These are always those of the stack, like its ports. */
const fixedSettings = ['LISTEN_HOST', 'API_PORT', 'DASHBOARD_PORT', 'CONSOLE_PORT'];

/** Lists the processes of a stack. A single process of an app has its name, several are `sync-1`, `sync-2` and so on. */
export function listProcesses(counts: {
  apis: number;
  workers: WorkerCounts;
}): Pick<ProcessPlan, 'name' | 'app'>[] {
  const apps = [
    ['api', counts.apis],
    ...workerNames.map((app) => [app, counts.workers[app] ?? 1] as const),
    ['dashboard', 1],
    ['console', 1],
  ] as const;
  return apps.flatMap(([app, count]) =>
    Array.from({ length: count }, (_, index) => ({ name: count === 1 ? app : `${app}-${index + 1}`, app })),
  );
}

/**
 * Checks names of processes that were given.
 * @throws when one is the name of no process and, if `orApps`, of no app either
 */
export function requireProcesses(
  names: string[],
  listed: Pick<ProcessPlan, 'name' | 'app'>[],
  orApps = false,
): void {
  const apps = orApps ? listed.map(({ app }) => app) : [];
  const known = new Set([...listed.map(({ name }) => name), ...apps]);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Error(`There is no process "${unknown}". The processes are ${[...known].join(', ')}`);
}

/** Plans the processes of a stack, with the settings of each. */
export async function planProcesses(options: {
  /** A port for each API. */
  apiPorts: number[];
  workers: WorkerCounts;
  shared: Record<string, string>;
  dashboard: Record<string, string>;
  console: Record<string, string>;
  processEnv?: ProcessSettings;
  /** The URLs of the servers that a process reaches through a proxy. */
  proxiedUrls?: (name: string) => Record<string, string>;
}): Promise<ProcessPlan[]> {
  const { apiPorts, shared, processEnv = {}, proxiedUrls = () => ({}) } = options;
  const listed = listProcesses({ apis: apiPorts.length, workers: options.workers });
  const healthPorts = await freePorts(listed.length);
  const own = new Map([
    ['dashboard', options.dashboard],
    ['console', options.console],
  ]);
  return listed.map(({ name, app }, index) => {
    // The APIs are listed first.
    const usual = { ...shared, ...(app === 'api' ? { API_PORT: String(apiPorts[index]) } : own.get(app)) };
    const fixed = Object.entries(usual).filter(([setting]) => fixedSettings.includes(setting));
    return {
      name,
      app,
      environment: {
        ...usual,
        ...processEnv[app],
        ...processEnv[name],
        ...Object.fromEntries(fixed),
        ...proxiedUrls(name),
        HEALTH_PORT: String(healthPorts[index]),
      },
      healthUrl: `http://127.0.0.1:${healthPorts[index]}`,
    };
  });
}

/**
 * Reads `sync=2,webhook-delivery=2`.
 * @throws when a name is unknown or a count is not 1 to 32
 */
export function parseWorkers(text: string): WorkerCounts {
  const counts: WorkerCounts = {};
  for (const part of text.split(',').filter((listed) => listed.trim() !== '')) {
    const [name, count] = part.split('=').map((side) => side.trim());
    const worker = workerNames.find((known) => known === name);
    if (!worker)
      throw new Error(`--workers: "${name}" is not a worker. The workers are ${workerNames.join(', ')}`);
    if (!/^([1-9]|[12]\d|3[0-2])$/.test(count ?? ''))
      throw new Error(`--workers: ${worker}= must be 1 to 32`);
    counts[worker] = Number(count);
  }
  return counts;
}

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

/** Lists the processes of a stack. A single worker has the name of its app, several are `sync-1`, `sync-2` and so on. */
export async function planProcesses(options: {
  workers: WorkerCounts;
  shared: Record<string, string>;
  api: Record<string, string>;
  dashboard: Record<string, string>;
  console: Record<string, string>;
}): Promise<ProcessPlan[]> {
  const workers = workerNames.flatMap((app) => {
    const count = options.workers[app] ?? 1;
    const names = count === 1 ? [app] : Array.from({ length: count }, (_, index) => `${app}-${index + 1}`);
    return names.map((name) => ({ name, app, environment: {} }));
  });
  const plans = [
    { name: 'api', app: 'api', environment: options.api },
    ...workers,
    { name: 'dashboard', app: 'dashboard', environment: options.dashboard },
    { name: 'console', app: 'console', environment: options.console },
  ];
  const ports = await freePorts(plans.length);
  return plans.map(({ name, app, environment }, index) => ({
    name,
    app,
    environment: {
      ...options.shared,
      ...environment,
      HEALTH_PORT: String(ports[index]),
    },
    healthUrl: `http://127.0.0.1:${ports[index]}`,
  }));
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

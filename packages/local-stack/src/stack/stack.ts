import { claimFolder } from '../processes/claim-folder.ts';
import type { ProcessChange, Supervised } from '../processes/supervise.ts';
import { emptyData } from './stack-data.ts';
import { choosePorts } from './ports.ts';
import type { PortChoice, Ports } from './ports.ts';
import { planProcesses } from './processes.ts';
import type { WorkerCounts } from './processes.ts';
import type { RunFrom } from './program.ts';
import { secretsOf } from './secrets.ts';
import { removeStackFiles } from './stack-file.ts';
import { stackEnvironment } from './stack-environment.ts';
import { openServers } from './stack-servers.ts';
import { migrate, startApp, waitUntilReady } from './start-app.ts';

export interface StackOptions {
  /** Data, secrets and logs of the stack. One stack at a time can run on it. */
  dataDir: string;
  /** Start with empty data. Servers that are not ours are never emptied. */
  fresh?: boolean;
  /** Default `auto`. */
  ports?: PortChoice;
  workers?: WorkerCounts;
  /** Use this PostgreSQL, this Redis instead of starting one. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  /** Settings for all processes; they win over ours. */
  env?: Record<string, string>;
  /** Default `built`. */
  run?: RunFrom;
  /** The process that a debugger can attach to, by name, and the port on 127.0.0.1. */
  inspect?: { name: string; port: number } | undefined;
  /** Called with a line for a person at each step. */
  onProgress?: (line: string) => void;
  onChange?: (change: ProcessChange) => void;
  /** Gives the start up when it is aborted; to stop what runs, call `stop`. */
  signal?: AbortSignal;
}

/** Everything that runs: the servers that are ours, and the processes of the service. */
export interface Stack {
  apiUrl: string;
  dashboardUrl: string;
  dashboardUser: string;
  dashboardPassword: string;
  consoleUrl: string;
  databaseUrl: string;
  redisUrl: string;
  /** What a program needs in its environment to work on the same data. */
  environment: Record<string, string>;
  /** Name and pid of what runs now: the processes, and `postgres` and `redis` when they are ours. */
  processes(): { name: string; pid: number }[];
  /** Sends a signal to one of them. @throws when there is none of that name */
  kill(name: string, signal: NodeJS.Signals): void;
  /** How often it was started again. @throws when there is none of that name */
  restarts(name: string): number;
  /** Resolves when every process says that it is ready; default deadline 60 s. */
  waitUntilReady(deadlineMs?: number): Promise<void>;
  /** Stops all that it started, within 10 s. */
  stop(): Promise<void>;
}

/**
 * Starts the servers that are missing, migrates, starts every process and waits until all are ready. From then on
 * what dies is started again, servers included.
 * @throws when something cannot be started; what was started is stopped then
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, run = 'built', onProgress = () => undefined } = options;
  const claim = await claimFolder(dataDir);
  // Of a stack that was killed.
  removeStackFiles(dataDir);
  const servers: Supervised[] = [];
  const apps: Supervised[] = [];
  const processes = () =>
    [...servers, ...apps].flatMap((one) => {
      const pid = one.pid();
      return pid === undefined ? [] : [{ name: one.name, pid }];
    });
  const record = () => claim.record(processes().map(({ pid }) => pid));
  const onChange = (change: ProcessChange) => {
    record();
    options.onChange?.(change);
  };
  const keepIn = (list: Supervised[]) => (supervised: Supervised) => {
    list.push(supervised);
    record();
  };
  // Together under 10 s; servers last, so that the processes can put away what they hold.
  const stop = async () => {
    await Promise.all(apps.map((app) => app.stop(6_000)));
    await Promise.all(servers.map((server) => server.stop(2_500)));
    claim.release();
  };
  const find = (name: string) => {
    const found = [...servers, ...apps].find((supervised) => supervised.name === name);
    if (!found) throw new Error(`There is no process "${name}" in this stack`);
    return found;
  };
  const unlessAborted = <T>(work: Promise<T>) => Promise.race([work, rejectionOn(options.signal)]);

  try {
    const secrets = secretsOf(dataDir);
    if (options.fresh) emptyData(dataDir);
    const ports = await choosePorts(options.ports ?? 'auto', neededPorts(options));
    const given = { ...pick('databaseUrl', options.databaseUrl), ...pick('redisUrl', options.redisUrl) };
    const opening = openServers({ dataDir, given, ports, secrets, onChange, keep: keepIn(servers) });
    const where = await unlessAborted(opening);
    onProgress(`PostgreSQL: ${given.databaseUrl ? 'yours (DATABASE_URL)' : `127.0.0.1:${ports.postgres}`}`);
    onProgress(`Redis: ${given.redisUrl ? 'yours (REDIS_URL)' : `127.0.0.1:${ports.redis}`}`);
    await unlessAborted(migrate({ databaseUrl: where.databaseUrl, dataDir, run }));
    onProgress('The database is migrated');

    const { shared, ...own } = stackEnvironment({
      ...where,
      dataDir,
      ports,
      secrets,
      given: options.env ?? {},
    });
    const plans = await planProcesses({ workers: options.workers ?? {}, shared, ...own });
    const { inspect } = options;
    if (inspect && !plans.some(({ name }) => name === inspect.name))
      throw new Error(
        `There is no process "${inspect.name}". The processes are ${plans.map(({ name }) => name).join(', ')}`,
      );
    const inspectPort = (name: string) => (name === inspect?.name ? inspect.port : undefined);
    await Promise.all(
      plans.map(async (plan) =>
        keepIn(apps)(await startApp({ plan, dataDir, run, inspectPort: inspectPort(plan.name), onChange })),
      ),
    );
    onProgress(`Started: ${plans.map(({ name }) => name).join(', ')}`);
    const ready = (deadlineMs = 60_000) => waitUntilReady({ plans, apps, dataDir, deadlineMs });
    await unlessAborted(ready());
    onProgress('All are ready');
    return {
      apiUrl: `http://127.0.0.1:${ports.api}`,
      dashboardUrl: `http://127.0.0.1:${ports.dashboard}`,
      dashboardUser: own.dashboard['DASHBOARD_OPERATOR_USER'] ?? '',
      dashboardPassword: own.dashboard['DASHBOARD_OPERATOR_PASSWORD'] ?? '',
      consoleUrl: `http://127.0.0.1:${ports.console}`,
      ...where,
      environment: shared,
      processes,
      kill: (name, signal) => find(name).kill(signal),
      restarts: (name) => find(name).restarts(),
      waitUntilReady: ready,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function rejectionOn(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new Error('stopped while it started'));
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function neededPorts(options: StackOptions): (keyof Ports)[] {
  return [
    'api',
    'dashboard',
    'console',
    ...(options.databaseUrl ? [] : (['postgres'] as const)),
    ...(options.redisUrl ? [] : (['redis'] as const)),
  ];
}

function pick<K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined || value === '' ? {} : ({ [name]: value } as Record<K, string>);
}

import { claimFolder } from '../processes/claim-folder.ts';
import type { ProcessChange, Supervised } from '../processes/supervise.ts';
import { projectRoot } from '../project-root.ts';
import { emptyData } from './stack-data.ts';
import { choosePorts } from './ports.ts';
import type { PortChoice, Ports } from './ports.ts';
import { planProcesses } from './processes.ts';
import type { WorkerCounts } from './processes.ts';
import type { RunFrom } from './program.ts';
import { secretsOf } from './secrets.ts';
import { removeStackFiles } from './stack-file.ts';
import type { StackDescription } from './stack-file.ts';
import { stackEnvironment } from './stack-environment.ts';
import { openServers } from './stack-servers.ts';
import { migrate, startApp, waitUntilReady } from './start-app.ts';

export interface StackOptions {
  /** Data, secrets and logs of the stack. One stack at a time can run on it. */
  dataDir: string;
  /** Start with empty data. Existing servers (`databaseUrl`, `redisUrl`) are never emptied. */
  fresh?: boolean;
  /** Default `auto`. */
  ports?: PortChoice;
  workers?: WorkerCounts;
  /** Existing servers to use instead of starting them. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  /** Settings for all processes. They override the defaults. */
  env?: Record<string, string>;
  /** Default `built`. */
  run?: RunFrom;
  /** The folder of the checkout whose programs run; default this one. */
  checkout?: string;
  /** The name of the process that a debugger can attach to, and its port on 127.0.0.1. */
  inspect?: { name: string; port: number } | undefined;
  /** Called with a readable line at each step. */
  onProgress?: (line: string) => void;
  onChange?: (change: ProcessChange) => void;
  /** Aborts the start. To stop a running stack, call `stop`. */
  signal?: AbortSignal;
}

/** The running processes of the service, and the servers that were started for them. */
export interface Stack extends StackDescription {
  /** The address of the health port of each process of the service. */
  healthUrls: Record<string, string>;
  /** Sends a signal to a process. @throws when there is none of this name */
  kill(name: string, signal: NodeJS.Signals): void;
  /** How often a process was restarted. @throws when there is none of this name */
  restarts(name: string): number;
  /** Resolves when every process is ready; default deadline 60 s. */
  waitUntilReady(deadlineMs?: number): Promise<void>;
  /** Stops everything that it started, within 10 s. */
  stop(): Promise<void>;
}

/**
 * Starts the missing servers, migrates the database, starts every process and waits until all are ready. Processes and
 * servers that end are restarted.
 * @throws when something cannot be started. Everything is stopped before
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, run = 'built', checkout = projectRoot, onProgress = () => undefined } = options;
  const claim = await claimFolder(dataDir);
  // A stack that was killed leaves its files.
  removeStackFiles(dataDir);
  const supervisedServers: Supervised[] = [];
  const apps: Supervised[] = [];
  const processes = () =>
    [...supervisedServers, ...apps].flatMap((one) => {
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
  // Together under 10 s. The servers stop last, so that the processes can finish their work.
  const stop = async () => {
    await Promise.all(apps.map((app) => app.stop(6_000)));
    await Promise.all(supervisedServers.map((server) => server.stop(2_500)));
    claim.release();
  };
  const find = (name: string) => {
    const found = [...supervisedServers, ...apps].find((supervised) => supervised.name === name);
    if (!found) throw new Error(`There is no process "${name}" in this stack`);
    return found;
  };
  const unlessAborted = <T>(work: Promise<T>) => Promise.race([work, rejectionOn(options.signal)]);

  try {
    const secrets = secretsOf(dataDir);
    if (options.fresh) emptyData(dataDir);
    const ports = await choosePorts(options.ports ?? 'auto', neededPorts(options));
    const given = { ...pick('databaseUrl', options.databaseUrl), ...pick('redisUrl', options.redisUrl) };
    const opening = openServers({
      dataDir,
      given,
      ports,
      secrets,
      onChange,
      keep: keepIn(supervisedServers),
    });
    const servers = await unlessAborted(opening);
    onProgress(`PostgreSQL: ${given.databaseUrl ? 'DATABASE_URL' : `127.0.0.1:${ports.postgres}`}`);
    onProgress(`Redis: ${given.redisUrl ? 'REDIS_URL' : `127.0.0.1:${ports.redis}`}`);
    await unlessAborted(migrate({ databaseUrl: servers.databaseUrl, dataDir, run, checkout }));
    onProgress('The database is migrated');

    const { shared, ...own } = stackEnvironment({
      ...servers,
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
        keepIn(apps)(
          await startApp({ plan, dataDir, run, checkout, inspectPort: inspectPort(plan.name), onChange }),
        ),
      ),
    );
    onProgress(`Started: ${plans.map(({ name }) => name).join(', ')}`);
    const ready = (deadlineMs = 60_000) => waitUntilReady({ plans, apps, dataDir, deadlineMs });
    await unlessAborted(ready());
    onProgress('All processes are ready');
    return {
      apiUrl: `http://127.0.0.1:${ports.api}`,
      dashboardUrl: `http://127.0.0.1:${ports.dashboard}`,
      dashboardUser: 'operator',
      dashboardPassword: own.dashboard['DASHBOARD_OPERATOR_PASSWORD'] ?? '',
      consoleUrl: `http://127.0.0.1:${ports.console}`,
      ...servers,
      environment: shared,
      processes,
      healthUrls: Object.fromEntries(plans.map(({ name, healthUrl }) => [name, healthUrl])),
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
    const abort = () => reject(new Error('the start was interrupted'));
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

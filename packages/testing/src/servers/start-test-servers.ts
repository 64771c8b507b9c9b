import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  projectRoot,
  removeAbandonedFolders,
  startPostgres,
  startRedis,
  temporaryFolder,
  temporaryFolderInMemory,
} from '@rewardhook/local-stack';
import type { Server } from '@rewardhook/local-stack';
import { runSql, templateName } from './test-database.ts';

/** The servers that the tests of one run share. */
export interface TestServers {
  /** A migrated, empty database. Tests make copies of it with createTestDatabase. */
  databaseUrl: string;
  redisUrl: string;
  /** The folder of their data. It is removed when they stop. */
  folder: string;
  stop(): Promise<void>;
}

/**
 * None of the defaults that the service works with, so that a statement that depends on a setting of the server fails in its
 * own test. Texts are compared by the rules of Korean, not by their bytes. A server with usual settings carries the tests that
 * start one of their own, the demo, the bench and chaos.
 */
const unusualSettings = {
  icuLocale: 'ko',
  settings: {
    timezone: 'Asia/Seoul',
    datestyle: 'German, DMY',
    intervalstyle: 'iso_8601',
    extra_float_digits: 0,
    bytea_output: 'escape',
    default_transaction_isolation: 'serializable',
  },
};

/** Starts one PostgreSQL, with the migrated template database, and one Redis. Their data is not kept. */
export async function startTestServers(): Promise<TestServers> {
  removeAbandonedFolders();
  const folder = temporaryFolder();
  const folderInMemory = temporaryFolderInMemory();
  const started: Server[] = [];
  const keep = (server: Server) => (started.push(server), server);
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    folder.remove();
    folderInMemory.remove();
  };
  const postgres = startPostgres({
    dataDir: join(folder.path, 'postgres'),
    password: 'test',
    fsync: false,
    ...unusualSettings,
  }).then(keep);
  // A sync of a busy disk can take longer than the second that the API waits for Redis: it then answers 503.
  const redis = startRedis({ dir: join(folderInMemory.path, 'redis'), args: ['--databases', '256'] }).then(
    keep,
  );
  try {
    await migrateTemplate((await postgres).url);
    return { databaseUrl: (await postgres).url, redisUrl: (await redis).url, folder: folder.path, stop };
  } catch (error) {
    await Promise.allSettled([postgres, redis]);
    await stop();
    throw error;
  }
}

/** Migrates the database `rewardhook` and copies it: the copy is the template of the test databases. */
async function migrateTemplate(url: string): Promise<void> {
  // As a process: this package does not import packages/database, whose tests use it.
  await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '-C', 'source', 'packages/database/src/migrate-main.ts'],
    { cwd: projectRoot, env: { ...process.env, DATABASE_URL: url } },
  );
  const maintenance = new URL(url);
  maintenance.pathname = 'postgres';
  await runSql(maintenance.href, `CREATE DATABASE ${templateName} TEMPLATE rewardhook`);
}

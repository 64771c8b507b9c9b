import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { openDatabase, openSealer } from '@rewardhook/database';
import { programArguments, projectRoot, startPostgres } from '@rewardhook/local-stack';
import type { PostgresOptions, Server } from '@rewardhook/local-stack';
import { fillDatabase } from './fill-database.ts';

/** Nothing of a bench is worth a real secret: the databases live as long as the bench. */
const password = 'bench';
const secretsKey = Buffer.alloc(32, 1).toString('base64');

/** A PostgreSQL with a filled database. */
export interface LargeDatabase {
  server: Server;
  /** The settings of processes that use it. */
  environment: { DATABASE_URL: string; SECRETS_KEY: string };
}

/**
 * Starts a PostgreSQL in a folder, with a database of `orders` orders. The folder is filled unless it has been filled with that
 * many before. `settings` are those of the measurements: while it is filled, the server has others.
 */
export async function openLargeDatabase(options: {
  folder: string;
  orders: number;
  settings?: PostgresOptions['settings'];
  fsync?: boolean;
  log: (line: string) => void;
}): Promise<LargeDatabase> {
  const { folder, orders, settings = {}, fsync = true, log } = options;
  mkdirSync(folder, { recursive: true });
  const postgres = { dataDir: join(folder, 'postgres'), password };
  const mark = join(folder, 'filled');
  if (!existsSync(mark)) {
    const filling = {
      wal_level: 'minimal',
      max_wal_senders: 0,
      autovacuum: 'off',
      maintenance_work_mem: '512MB',
    };
    const server = await startPostgres({ ...postgres, fsync: false, settings: filling });
    try {
      await fill(server.url, orders, log);
    } finally {
      await server.stop();
    }
    writeFileSync(mark, String(orders));
  } else if (readFileSync(mark, 'utf8') !== String(orders)) {
    throw new Error(`${folder} was filled with ${readFileSync(mark, 'utf8')} orders`);
  }
  const server = await startPostgres({ ...postgres, fsync, settings });
  const environment = { DATABASE_URL: server.url, SECRETS_KEY: secretsKey };
  // A folder that was filled earlier, or a long run, may meet sources with newer migrations.
  await migrate(environment);
  return { server, environment };
}

async function fill(url: string, orders: number, log: (line: string) => void): Promise<void> {
  await migrate({ DATABASE_URL: url, SECRETS_KEY: secretsKey });
  const sql = new Pool({ connectionString: url, max: 2 });
  // When the server stops before its connections have ended.
  sql.on('error', () => undefined);
  const database = openDatabase({ url, poolSize: 2, applicationName: 'rewardhook-bench' });
  try {
    await fillDatabase({ sql, database, sealer: openSealer(secretsKey) }, orders, log);
  } finally {
    await database.$disconnect();
    await sql.end();
  }
}

/** Applies the migrations to a database. */
export async function migrate(environment: Record<string, string>): Promise<void> {
  await promisify(execFile)(process.execPath, programArguments('packages/database/migrate-main', 'source'), {
    cwd: projectRoot,
    env: { ...process.env, ...environment },
  });
}

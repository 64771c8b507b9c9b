import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import {
  programArguments,
  removeStackData,
  runSql,
  startPgBouncer,
  startPostgres,
  startStack,
} from '@rewardhook/testing/servers';
import { projectRoot, scaled, temporaryFolder, waitFor } from '@rewardhook/testing';
import type { Server, Stack } from '@rewardhook/testing/servers';
import { readRows } from './harness/read-rows.ts';
import { bothRewards, orderToWebhook, waitForCleanDoctor } from './harness/order-to-webhook.ts';
import { runStackAdmin } from './harness/stack-admin.ts';
import { spawnProcess } from './harness/start-process.ts';

// Every process and server for real; the pooler has no settings besides its mode and its database.
jest.setTimeout(180_000);

/** Runs the migrator as a process, and returns its output. @throws when it does not exit with 0 */
async function migrate(settings: Record<string, string>, ...words: string[]): Promise<string> {
  const args = [...programArguments('packages/database/migrate-main', 'built'), ...words];
  const env = { ...process.env, ...settings };
  return (await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env })).stdout;
}

describe('Through PgBouncer in transaction mode', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'stack');
  let postgres: Server;
  let pooler: Server;
  let stack: Stack | undefined;
  let database: Database;
  const poolers: Server[] = [];
  /** A pooler that has opened no connection before. */
  const startNewPooler = async (): Promise<Server> => {
    const dir = join(folder.path, `pgbouncer-${poolers.length}`);
    const started = await startPgBouncer({ dir, databaseUrl: postgres.url });
    poolers.push(started);
    return started;
  };
  beforeAll(async () => {
    postgres = await startPostgres({ dataDir: join(folder.path, 'postgres'), password: 'p', fsync: false });
    pooler = await startNewPooler();
  });
  afterAll(async () => {
    await database?.$disconnect();
    await stack?.stop();
    for (const one of poolers) await one.stop();
    await postgres?.stop();
    removeStackData(dataDir);
    folder.remove();
  });

  it('two migrators that start at once both exit with 0, and apply each migration once', async () => {
    const printed = await Promise.all([1, 2].map(() => migrate({ DATABASE_URL: pooler.url })));
    const rows = await readRows<{ name: string }>(
      postgres.url,
      'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1',
    );
    const names = rows.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(0);
    // Each is applied by one of the two.
    const applied = printed.flatMap((text) =>
      [...text.matchAll(/^Applied (\S+)$/gm)].map(([, name]) => name),
    );
    expect(applied.toSorted()).toEqual(names);
  });

  it('a process whose role has no time limits is refused, and "migrate roles" sets them', async () => {
    const open = (url: string) => openDatabase({ url, poolSize: 2, applicationName: 'test' });
    const without = open(pooler.url);
    await expect(without.query('SELECT 1')).rejects.toThrow(
      /the setting statement_timeout of PostgreSQL is 0 [^]* SET statement_timeout = '30s'; or the command "migrate roles"/,
    );
    await without.$disconnect();
    await migrate({ DATABASE_URL: postgres.url, DATABASE_APP_URL: pooler.url }, 'roles');
    pooler = await startNewPooler();
    database = open(pooler.url);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('a transaction of Prisma has the same limits as SQL', async () => {
    const limits = await database.$transaction(
      (tx) => tx.$queryRaw`SELECT current_setting('statement_timeout') AS statement,
        current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    expect(limits).toEqual([{ statement: '30s', lock: '10s', idle: '10s' }]);
  });

  it('all processes start, and an order of a linked member results in two signed webhooks', async () => {
    stack = await startStack({ dataDir, ports: 'auto', databaseUrl: pooler.url });
    expect(await orderToWebhook(stack)).toEqual(bothRewards);
    await waitForCleanDoctor(stack.environment);
  });

  it('a statement of 60 s is cancelled after 30 s, also in PostgreSQL', async () => {
    const startedAt = performance.now();
    const outcome = database.query('SELECT pg_sleep(60)').then(
      () => 'completed',
      (error: { code?: string }) => error.code,
    );
    expect(await outcome).toBe('57014');
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(seconds).toBeGreaterThan(29);
    expect(seconds).toBeLessThan(scaled(40));
    const running = () =>
      readRows(
        postgres.url,
        "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'",
      );
    await waitFor(async () => (await running()).length === 0, { what: 'the end of the statement' });
  });

  it('no setting of a session remains on a connection of the server', async () => {
    await database.query('SELECT 1');
    const rows = await readRows(
      pooler.url,
      "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name LIKE '%timeout'",
    );
    expect(rows).toEqual([]);
  });

  describe('whose role has another time zone', () => {
    let wrong: Server;
    let message: string;
    beforeAll(async () => {
      const { username, pathname } = new URL(postgres.url);
      const name = pathname.slice(1);
      await runSql(postgres.url, `ALTER ROLE ${username} IN DATABASE ${name} SET TimeZone = 'Asia/Seoul'`);
      wrong = await startNewPooler();
      message =
        `the setting TimeZone of PostgreSQL is Asia/Seoul for the role ${username}; it must be UTC. ` +
        `Run ALTER ROLE "${username}" IN DATABASE "${name}" SET TimeZone = 'UTC'; or the command "migrate roles"`;
    });
    const environment = (url: string): Record<string, string> & { DATABASE_URL: string } => ({
      ...stack?.environment,
      DATABASE_URL: url,
    });

    it('a process refuses to start, and names the setting, the role and the command that changes it', async () => {
      const settings = environment(wrong.url);
      const worker = await spawnProcess('sync', {
        databaseUrl: settings.DATABASE_URL,
        redisUrl: settings['REDIS_URL'] ?? '',
        prefix: settings['QUEUE_PREFIX'] ?? '',
        secretsKey: settings['SECRETS_KEY'] ?? '',
      });
      expect(await worker.ended).toBe(1);
      expect(worker.log().replaceAll('\\"', '"')).toContain(message);
    });

    it('the command "doctor" reports the same and exits with 3', async () => {
      const { exitCode, stderr } = await runStackAdmin(environment(wrong.url), ['doctor']);
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining(message)]);
    });

    it('the command "migrate roles" sets it, and "doctor" is clean', async () => {
      await migrate({ DATABASE_URL: postgres.url, DATABASE_APP_URL: wrong.url }, 'roles');
      const right = await startNewPooler();
      await waitForCleanDoctor(environment(right.url));
    });
  });
});

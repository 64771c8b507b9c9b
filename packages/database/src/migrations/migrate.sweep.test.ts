import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTestDatabase, projectRoot } from '@rewardhook/testing';
import { openDatabase } from '../client/client.ts';

const run = promisify(execFile);
const script = (...words: string[]) => ['--import', 'tsx', '-C', 'source', ...words];
const printSchema = `
  import { readFileSync } from 'node:fs';
  import { schemaDifference } from '@rewardhook/database';
  process.stdout.write(await schemaDifference(process.env.DATABASE_URL, '', readFileSync('prisma/schema.prisma', 'utf8')));
  process.exit(0);`;

/** Runs a script in a process of its own: jest cannot load the WebAssembly of Prisma's schema engine. */
async function runScript(url: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: url };
  return (await run(process.execPath, script(...words), { cwd: projectRoot, env })).stdout;
}

const isNoPartition = (name: string) =>
  `NOT (SELECT c.relispartition FROM pg_class c WHERE c.relname = ${name} AND c.relnamespace = 'public'::regnamespace)`;

/**
 * Columns and indexes as PostgreSQL describes them; those of partitions are the ones of their table. Prisma has no indexes of
 * expressions.
 */
async function describeTables(url: string): Promise<unknown> {
  const database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  const columns = await database.query(
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' AND ${isNoPartition('table_name')}
     ORDER BY 1, 2`,
  );
  const indexes = await database.query(
    `SELECT replace(indexdef, ' ON ONLY ', ' ON ') AS indexdef FROM pg_indexes
     WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' AND ${isNoPartition('tablename')}
       AND indexdef NOT LIKE '%rules.%'
     ORDER BY 1`,
  );
  await database.$disconnect();
  return { columns, indexes };
}

describe('The migrations', () => {
  it('create the tables of prisma/schema.prisma', async () => {
    const [migrated, fresh] = [await createTestDatabase(), await createTestDatabase()];
    const sql = await runScript(fresh.url, '--input-type=module', '-e', printSchema);
    expect(sql).toContain('CREATE TABLE');
    const database = openDatabase({ url: fresh.url, poolSize: 1, applicationName: 'test' });
    await database.query('DROP SCHEMA public CASCADE');
    for (const statement of sql.split(';').filter((part) => part.trim() !== ''))
      await database.query(statement);
    await database.$disconnect();

    expect(await describeTables(migrated.url)).toEqual(await describeTables(fresh.url));
    await migrated.drop();
    await fresh.drop();
  });

  it('are applied once: a second run applies none', async () => {
    const test = await createTestDatabase();
    expect(await runScript(test.url, 'packages/database/src/migrate-main.ts')).toContain('up to date');
    await test.drop();
  });
});

describe('The trigger of rewards', () => {
  it('allows only the transitions of reward states, and no other change', async () => {
    const test = await createTestDatabase();
    const database = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
    const key = { merchantId: 'm', id: 'r' };
    const move = (data: object) => database.reward.update({ where: { merchantId_id: key }, data });
    await database.reward.create({
      data: {
        ...key,
        programId: 'p',
        programVersion: 1,
        referralId: 'f',
        subject: 'referral:f',
        role: 'referee',
        memberId: 'u',
        orderId: 'o',
        type: 'points',
        amount: 3_000,
        unit: 'points',
        month: '2026-11',
        state: 'pending',
      },
    });
    await expect(move({ state: 'revoked' })).rejects.toThrow('cannot move from pending to revoked');
    await move({ state: 'confirmed' });
    await expect(move({ state: 'pending' })).rejects.toThrow('cannot move');
    await expect(move({ amount: 5_000 })).rejects.toThrow('cannot be changed');
    await move({ state: 'revoked' });
    await expect(move({ state: 'confirmed' })).rejects.toThrow('cannot move');
    await database.$disconnect();
    await test.drop();
  });
});

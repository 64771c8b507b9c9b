import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import { projectRoot } from '@rewardhook/testing';
import { openDatabase } from '../client/prisma.ts';
import { describeSchema } from '../fixtures/describe-schema.ts';
import { createEmptyDatabase } from '../fixtures/empty-database.ts';
import { migrateDatabase } from './migrate.ts';
import { readMigrations } from './migration-files.ts';
import { readReleases } from './releases.ts';

// A process of its own, with tsx, takes long on a busy machine.
jest.setTimeout(120_000);

/** Runs a script in a process of its own: jest cannot load the WebAssembly of Prisma's schema engine. */
async function runScript(url: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: url };
  const args = ['--import', 'tsx', '-C', 'source', ...words];
  return (await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env })).stdout;
}

const sqlFolder = join(projectRoot, 'prisma/sql');
const sqlFiles = readdirSync(sqlFolder).flatMap((folder) =>
  readdirSync(join(sqlFolder, folder)).map((file) => ({
    folder,
    name: file.slice(0, -'.sql'.length),
    sql: readFileSync(join(sqlFolder, folder, file), 'utf8'),
  })),
);

describe('The files of prisma/sql', () => {
  it('begin with a comment, and create one object or belong to one table each', () => {
    for (const { folder, name, sql } of sqlFiles) {
      const created = [...sql.matchAll(/^CREATE OR REPLACE (?:FUNCTION|VIEW|TRIGGER) (?:rules\.)?(\w+)/gm)];
      const expected = ['functions', 'views', 'triggers'].includes(folder) ? [name] : [];
      expect({ name, created: created.map(([, object]) => object) }).toEqual({ name, created: expected });
      expect(sql).toMatch(/^-- \w/);
    }
  });
});

describe('A migrated database', () => {
  let created: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let script: string;
  beforeAll(async () => {
    created = await createEmptyDatabase();
    script = await runScript(created.url, 'scripts/create-migration.ts', '--print');
    await runSql(created.url, script);
  });
  afterAll(() => created.drop());

  it('has what prisma/schema.prisma and prisma/sql describe, and nothing else', async () => {
    const migrated = await createTestDatabase();
    const described = await describeSchema(created.url);
    expect(await describeSchema(migrated.url)).toEqual(described);
    const named = (folder: string) =>
      sqlFiles.filter((file) => file.folder === folder).map(({ name }) => name);
    expect(described.functions).toHaveLength(named('functions').length);
    expect(described.triggers).toHaveLength(named('triggers').length);
    expect(described.views).toHaveLength(named('views').length);
    expect(described.partitions).toHaveLength(named('partitions').length);
    await migrated.drop();
  });

  it('has a foreign key for each relation, but for those that are named unenforced_…', async () => {
    const schema = readFileSync(join(projectRoot, 'prisma/schema.prisma'), 'utf8');
    const relations = schema
      .split('\n')
      .filter((line) => line.includes('@relation(') && line.includes('fields:'));
    const enforced = relations.filter((line) => !line.includes('map: "unenforced_'));
    expect(relations.length).toBeGreaterThan(enforced.length);
    const { constraints } = await describeSchema(created.url);
    expect(constraints.filter((one) => one.includes('FOREIGN KEY'))).toHaveLength(enforced.length);
    expect(constraints.filter((one) => one.includes('unenforced'))).toEqual([]);
    expect(schema).not.toContain('@default(now())');
  });

  it('of the last release is upgraded to the same schema', async () => {
    const release = readReleases().at(-1);
    const files = readMigrations();
    // Before the first release there is only the initial migration, which "npm run migration" writes again.
    if (!release) expect(files.map(({ sql }) => sql)).toEqual([script]);
    const released = files.filter(({ name }) => release?.migrations[name] !== undefined);
    const database = await createEmptyDatabase();
    const upgrade = files.slice(released.length).map(({ name }) => name);
    await migrateDatabase({ url: database.url, files: released });
    expect(await migrateDatabase({ url: database.url, files })).toEqual(upgrade);
    expect(await describeSchema(database.url)).toEqual(await describeSchema(created.url));
    await database.drop();
  });

  it('has nothing to apply in a second run', async () => {
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

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { QueryResultRow } from 'pg';
import { waitFor } from '@rewardhook/testing';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { openDatabase } from '../client/prisma.ts';
import { pruneDatabase } from '../retention/prune.ts';
import { setUpRoles } from './set-up-roles.ts';

const suffix = randomBytes(6).toString('hex');
const names = { app: `app_${suffix}`, readOnly: `readonly_${suffix}` };
let test: TestDatabase;
let appUrl: string;
let readOnlyUrl: string;

const urlOf = (user: string, password: string) => {
  const url = new URL(test.url);
  Object.assign(url, { username: user, password: encodeURIComponent(password) });
  return url.href;
};
beforeAll(async () => {
  test = await createTestDatabase();
  appUrl = urlOf(names.app, "it's 1: a/b");
  readOnlyUrl = urlOf(names.readOnly, 'p');
  await setUpRoles({ url: test.url, appUrl, readOnlyUrl });
});
afterAll(async () => {
  const server = String(process.env['TEST_DATABASE_URL']);
  for (const name of Object.values(names))
    await runSql(test.url, `DROP OWNED BY ${name} CASCADE`).then(() => runSql(server, `DROP ROLE ${name}`));
  await test.drop();
});

/** Runs a statement in a session of its own, and returns its rows or its SQLSTATE. */
async function run<Row extends QueryResultRow>(
  url: string,
  sql: string,
): Promise<Row[] | string | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.end();
  }
}
const forbidden = '42501';

describe('The application role', () => {
  it.each([
    'DROP TABLE orders',
    'TRUNCATE orders',
    'ALTER TABLE orders ADD COLUMN x int',
    'CREATE TABLE public.x (id int)',
    'CREATE INDEX ON orders (member_id)',
    'ALTER TABLE orders DISABLE TRIGGER ALL',
    "UPDATE audit_entries SET action = 'x'",
    'DELETE FROM audit_entries',
    'DELETE FROM _prisma_migrations',
    'CREATE ROLE x',
  ])('may not run %s', async (sql) => {
    expect(await run(appUrl, sql)).toBe(forbidden);
  });

  it.each([
    'SELECT count(*) FROM orders',
    'SELECT count(*) FROM _prisma_migrations',
    'SELECT count(*) FROM rules.partitions',
    'DELETE FROM orders',
    'UPDATE write_probes SET probed_at = now()',
    `INSERT INTO audit_entries (id, actor_kind, action, subject_kind) VALUES ('1', 'system', 'x', 'y')`,
    "SELECT rules.add_partition('clicks', '2030-01-01', '2030-01-04')",
    'SELECT rules.prune_audit_entries(now(), 10)',
  ])('may run %s', async (sql) => {
    expect(await run(appUrl, sql)).toEqual(expect.any(Array));
  });

  it('writes into a partition that was created after its rights were set', async () => {
    const sql = `WITH c AS (SELECT '2031-01-02'::date AS day) SELECT rules.add_partition('clicks', day, day + 1) FROM c`;
    await run(appUrl, sql);
    expect(await run(appUrl, "DELETE FROM clicks WHERE clicked_at >= '2031-01-02'")).toEqual([]);
  });

  it('prunes: it adds partitions and drops old ones', async () => {
    const database = openDatabase({ url: appUrl, poolSize: 2, applicationName: 'test' });
    await runSql(test.url, "SELECT rules.add_partition('attempts', '2020-01-01', '2020-01-04')");
    const days = { attemptsDays: 30, eventsDays: 90, decisionsDays: 400, noticesDays: 90, replaysDays: 90 };
    const { tables } = await pruneDatabase(database, { ...days, auditDays: 400 });
    expect(tables.find(({ table }) => table === 'attempts')).toMatchObject({
      partitionsDropped: ['attempts_p20200101'],
    });
    await database.$disconnect();
  });

  it('cannot make a function that runs with the rights of the owner use its own objects', async () => {
    // The trigger of a temporary table would run with these rights.
    await run(
      appUrl,
      `CREATE TEMP TABLE audit_entries (id text, at timestamptz);
       INSERT INTO audit_entries VALUES ('1', now() - interval '1 year');
       CREATE FUNCTION pg_temp.escalate() RETURNS trigger LANGUAGE plpgsql
         AS 'BEGIN DELETE FROM public._prisma_migrations; RETURN OLD; END';
       CREATE TRIGGER escalate BEFORE DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION pg_temp.escalate();
       SELECT rules.prune_audit_entries(now(), 10)`,
    );
    expect(await run(test.url, 'SELECT count(*) > 0 AS kept FROM _prisma_migrations')).toEqual([
      { kept: true },
    ]);
    // In general: the temporary schema is searched last, and only if it is named.
    expect(
      await run(
        test.url,
        `SELECT oid::regprocedure FROM pg_proc
         WHERE prosecdef AND NOT coalesce(array_to_string(proconfig, ';') ~ 'search_path=[^;]*, pg_temp(;|$)', false)
           AND pronamespace IN ('rules'::regnamespace, 'public'::regnamespace)`,
      ),
    ).toEqual([]);
  });

  it('has time-outs that PostgreSQL enforces without a setting of the session', async () => {
    expect(await run(appUrl, 'SHOW statement_timeout')).toEqual([{ statement_timeout: '30s' }]);
    expect(await run(appUrl, 'SHOW lock_timeout')).toEqual([{ lock_timeout: '10s' }]);
  });

  it('may use tables that a later migration creates', async () => {
    await runSql(test.url, 'CREATE TABLE later (id int)');
    expect(await run(appUrl, 'INSERT INTO later VALUES (1)')).toEqual([]);
    expect(await run(appUrl, 'TRUNCATE later')).toBe(forbidden);
  });
});

describe('The read-only role', () => {
  it.each(['DELETE FROM orders', "UPDATE merchants SET name = 'x'", 'SELECT rules.drop_partition(NULL)'])(
    'may not run %s',
    async (sql) => {
      expect(await run(readOnlyUrl, `BEGIN READ WRITE; ${sql}`)).toBe(forbidden);
    },
  );

  it('reads every table, except the columns that hold secrets', async () => {
    const hidden = await run<{ name: string }>(
      test.url,
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name <> 'later'
         AND NOT has_column_privilege('${names.readOnly}', format('%I', table_name), column_name, 'SELECT')
         AND NOT (SELECT relispartition FROM pg_class WHERE oid = format('%I', table_name)::regclass)
       ORDER BY 1`,
    );
    expect(hidden).toEqual(
      [
        'api_keys.sha256',
        'contact_confirmations.token_sha256',
        'former_identity_secrets.secret',
        'invitations.token_sha256',
        'merchants.id_salt',
        'merchants.identity_secret',
        'password_resets.token_sha256',
        'sessions.id_sha256',
        'sign_ups.token_sha256',
        'signing_keys.secret',
        'users.password_hash',
      ].map((name) => ({ name })),
    );
    expect(await run(readOnlyUrl, 'SELECT id, name FROM merchants')).toEqual([]);
    expect(await run(readOnlyUrl, 'SELECT * FROM merchants')).toBe(forbidden);
  });
});

describe('Setting up the roles', () => {
  it('leaves to the server whether the application may write, also where an earlier release had set it', async () => {
    const name = new URL(test.url).pathname.slice(1);
    await runSql(
      test.url,
      `ALTER ROLE ${names.app} IN DATABASE ${name} SET default_transaction_read_only = off`,
    );
    await setUpRoles({ url: test.url, appUrl, readOnlyUrl });
    const settings = await run<{ role: string }>(
      test.url,
      `SELECT rolname AS role FROM pg_db_role_setting JOIN pg_roles ON pg_roles.oid = setrole, unnest(setconfig) AS setting
       WHERE rolname IN ('${names.app}', '${names.readOnly}') AND setting LIKE 'default_transaction_read_only=%'`,
    );
    expect(settings).toEqual([{ role: names.readOnly }]);
  });

  it('waits while the database is read-only, and says so', async () => {
    const said: string[] = [];
    const setDefault = (change: string) =>
      runSql(
        String(process.env['TEST_DATABASE_URL']),
        `ALTER DATABASE ${new URL(test.url).pathname.slice(1)} ${change}`,
      );
    await setDefault('SET default_transaction_read_only = on');
    const lines = setUpRoles({ url: test.url, appUrl, report: (line) => void said.push(line) });
    await waitFor(() => said.length > 0);
    await setDefault('RESET default_transaction_read_only');
    expect(await lines).toEqual([`The application role ${names.app} is set up.`]);
    expect(said).toEqual(['PostgreSQL accepts no writes: it is read-only. Waiting until it accepts them.']);
  });

  it('can be repeated, also at the same time, and changes a password', async () => {
    const next = urlOf(names.app, 'next');
    await Promise.all([1, 2].map(() => setUpRoles({ url: test.url, appUrl: next, readOnlyUrl })));
    expect(await run(next, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect(run(appUrl, 'SELECT 1')).rejects.toThrow('password authentication failed');
    await setUpRoles({ url: test.url, appUrl });
  });

  it('does not limit the owner, and refuses a role that has the rights of the owner', async () => {
    expect(await setUpRoles({ url: test.url, appUrl: test.url })).toEqual([
      expect.stringContaining('owns the tables: its rights are not limited'),
    ]);
    await runSql(test.url, `GRANT rewardhook TO ${names.app}`);
    await expect(setUpRoles({ url: test.url, appUrl })).rejects.toThrow('its rights cannot be limited');
    await runSql(test.url, `REVOKE rewardhook FROM ${names.app}`);
  });
});

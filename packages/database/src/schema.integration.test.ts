import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { QueryResultRow } from 'pg';
import { waitFor } from '@rewardhook/testing';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { database, useDatabase } from './fixtures/use-database.ts';
import * as states from './states.ts';
import { openDatabase } from './client/prisma.ts';
import { pruneDatabase } from './retention/prune.ts';
import { setUpRoles } from './roles/set-up-roles.ts';

describe('Ready to be distributed by the merchant', () => {
  useDatabase(1);

  /**
   * Small tables, the same on every node of a distributed PostgreSQL ("reference tables"): merchants with their keys and users, and
   * what concerns no merchant or all of them.
   */
  const sameEverywhere = [
    '_prisma_migrations',
    'account_mails',
    'api_keys',
    'attempt_progress',
    'audit_entries',
    'click_progress',
    'contact_confirmations',
    'former_identity_secrets',
    'installation',
    'invitations',
    'memberships',
    'merchants',
    'password_resets',
    'promise_counts',
    'prunings',
    'sessions',
    'sign_ups',
    'signing_keys',
    'users',
    'version_ceiling',
    'webhook_hosts',
    'wipes',
    'write_probes',
  ];

  interface Key {
    table: string;
    columns: string[];
    kind: string;
  }

  /** The primary keys, unique keys and foreign keys of the tables, without those of partitions. */
  const keysSql = `
  SELECT c.relname AS table, CASE WHEN i.indisprimary THEN 'primary' ELSE 'unique' END AS kind,
    ARRAY(SELECT coalesce(a.attname, pg_get_indexdef(i.indexrelid, k.number::int, true)) FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, number)
      LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
      ORDER BY k.number)::text[] AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE i.indisunique AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT f.conrelid::regclass::text, 'foreign',
    ARRAY(SELECT a.attname FROM unnest(f.conkey) WITH ORDINALITY AS k (attnum, number)
      JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum ORDER BY k.number)::text[]
  FROM pg_constraint f WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace AND f.conparentid = 0
  ORDER BY 1, 2`;

  it('Every primary, unique and foreign key starts with the merchant, but for small tables and these exceptions', async () => {
    const keys = await database.query<Key>(keysSql);
    expect(keys.length).toBeGreaterThan(40);
    const others = keys.filter(
      ({ table, columns }) => !sameEverywhere.includes(table) && columns[0] !== 'merchant_id',
    );
    const texts = others.map(({ table, kind, columns }) => `${kind} key of ${table}: ${columns.join(', ')}`);
    // docs/decisions/082-distribution.md says what a distributed PostgreSQL would make of each.
    expect(texts).toEqual([
      'primary key of attempts: delivery_id, number, started_at, merchant_id',
      'primary key of deliveries: id, merchant_id',
      'unique key of members: code',
    ]);
  });

  it('Every other table has the merchant in a column that is never null', async () => {
    const rows = await database.query<{ table: string; required: boolean | null }>(
      `SELECT c.relname AS table, a.attnotnull AS required
       FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id'
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`,
    );
    const distributed = rows.filter(({ table }) => !sameEverywhere.includes(table));
    expect(distributed.filter(({ required }) => required !== true)).toEqual([]);
    expect(sameEverywhere.filter((name) => !rows.some(({ table }) => table === name))).toEqual([]);
  });

  it('The rows of one merchant need no sequence of all merchants but that of events', async () => {
    const sequences = await database.query<{ name: string }>(
      `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public'`,
    );
    expect(sequences.map(({ name }) => name)).toEqual(['events_sequence_seq']);
  });
});

describe('The values of a column', () => {
  useDatabase(1);

  it.each([
    ['api_keys', 'api_keys_kind', states.keyKinds],
    ['verified_origins', 'verified_origins_proof', states.originProofs],
    ['referrals', 'referrals_source', states.referralSources],
    ['referrals', 'referrals_review', states.reviewStates],
    ['referrals', 'referrals_ended', states.referralEnds],
    ['waiting_links', 'waiting_links_source', states.referralSources],
    ['referral_moves', 'referral_moves_source', states.referralSources],
    ['waiting_links', 'waiting_links_review', states.reviewStates],
    ['rewards', 'rewards_link_source', states.referralSources],
    ['decisions', 'decisions_outcome', states.decisionOutcomes],
    ['rewards', 'rewards_role', states.rewardRoles],
    ['rewards', 'rewards_state', states.rewardStates],
    ['rewards', 'rewards_correction', states.rewardCorrections],
    ['reward_corrections', 'reward_corrections_kind', states.correctionKinds],
    ['deliveries', 'deliveries_state', states.deliveryStates],
    ['open_promises', 'open_promises_kind', states.promiseKinds],
    ['open_promises', 'open_promises_holder', states.promiseHolders],
    ['problems', 'problems_kind', states.problemKinds],
    ['problems', 'problems_mailed_to', states.problemRecipients],
    ['replays', 'replays_state', states.replayStates],
    ['notices', 'notices_type', states.noticeTypes],
    ['memberships', 'memberships_role', states.teamRoles],
    ['invitations', 'invitations_role', states.teamRoles],
    ['account_mails', 'account_mails_kind', states.accountMailKinds],
    ['audit_entries', 'audit_entries_actor_kind', states.auditActorKinds],
    ['audit_entries', 'audit_entries_outcome', states.auditOutcomes],
  ])('The values of %s that the check %s allows are those of states.ts', async (table, check, values) => {
    const [found] = await database.query<{ definition: string }>(
      'SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2',
      [table, check],
    );
    const literals = [...(found?.definition ?? '').matchAll(/'([^']*)'::text/g)].map(([, value]) => value);
    expect(new Set(literals)).toEqual(new Set(values));
  });
});

describe('The roles of the database', () => {
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
      const own = openDatabase({ url: appUrl, poolSize: 2, applicationName: 'test' });
      await runSql(test.url, "SELECT rules.add_partition('attempts', '2020-01-01', '2020-01-04')");
      const days = { attemptsDays: 30, eventsDays: 90, decisionsDays: 400, noticesDays: 90, replaysDays: 90 };
      const { tables } = await pruneDatabase(own, { ...days, auditDays: 400 });
      expect(tables.find(({ table }) => table === 'attempts')).toMatchObject({
        partitionsDropped: ['attempts_p20200101'],
      });
      await own.$disconnect();
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
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  programArguments,
  removeStackData,
  runSql,
  startPostgres,
  startStack,
} from '@rewardhook/testing/servers';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import type { Server, Stack } from '@rewardhook/testing/servers';
import { readRows } from './harness/read-rows.ts';
import { bothRewards, orderToWebhook, waitForCleanDoctor } from './harness/order-to-webhook.ts';

// Every process for real, with the database role of the application, in a database that ops/postgresql/create-database.sql created.
jest.setTimeout(180_000);

describe('With the role of the application', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'stack');
  let postgres: Server;
  let stack: Stack | undefined;
  const passwords = { OWNER_PASSWORD: 'owner', APP_PASSWORD: `it's "app"`, READONLY_PASSWORD: 'read' };
  /** The URL of a role in a database. */
  const urlOf = (user: string, password: string, database = 'shop') =>
    `postgresql://${user}:${encodeURIComponent(password)}@${new URL(postgres.url).host}/${database}`;
  const urls = () => ({
    owner: urlOf('shop_owner', passwords.OWNER_PASSWORD),
    app: urlOf('shop_app', passwords.APP_PASSWORD),
    readOnly: urlOf('shop_readonly', passwords.READONLY_PASSWORD),
  });
  const createDatabase = (environment: Record<string, string>) =>
    promisify(execFile)(
      'psql',
      ['-X', '-v', 'name=shop', '-f', 'ops/postgresql/create-database.sql', postgres.url],
      { cwd: projectRoot, env: { PATH: process.env['PATH'], ...environment } },
    );
  const migrate = async (owner: string, app: string, readOnly: string) => {
    const args = programArguments('packages/database/migrate-main', 'built');
    const env = {
      ...process.env,
      DATABASE_URL: owner,
      DATABASE_APP_URL: app,
      DATABASE_READONLY_URL: readOnly,
    };
    return (await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env })).stdout;
  };
  beforeAll(async () => {
    postgres = await startPostgres({ dataDir: join(folder.path, 'postgres'), password: 'p', fsync: false });
  });
  afterAll(async () => {
    await stack?.stop();
    await postgres?.stop();
    removeStackData(dataDir);
    folder.remove();
  });

  it('the SQL creates nothing when a password is missing', async () => {
    await expect(createDatabase({ ...passwords, APP_PASSWORD: '' })).rejects.toThrow(
      'Set OWNER_PASSWORD, APP_PASSWORD and READONLY_PASSWORD.',
    );
    expect(await readRows(postgres.url, "SELECT 1 FROM pg_roles WHERE rolname LIKE 'shop%'")).toEqual([]);
  });

  it('the SQL creates three roles without rights over others, and a database that only they enter', async () => {
    await createDatabase(passwords);
    expect(
      await readRows(
        postgres.url,
        `SELECT rolname, rolcanlogin, rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS mighty,
           has_database_privilege(rolname, 'shop', 'CONNECT') AS enters
         FROM pg_roles WHERE rolname LIKE 'shop%' ORDER BY 1`,
      ),
    ).toEqual([
      { rolname: 'shop_app', rolcanlogin: true, mighty: false, enters: false },
      { rolname: 'shop_owner', rolcanlogin: true, mighty: false, enters: true },
      { rolname: 'shop_readonly', rolcanlogin: true, mighty: false, enters: false },
    ]);
    expect(
      await readRows(
        postgres.url,
        "SELECT datlocprovider, datlocale, pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = 'shop'",
      ),
    ).toEqual([{ datlocprovider: 'b', datlocale: 'C.UTF-8', encoding: 'UTF8' }]);
  });

  it('the migrator applies the migrations as the owner, and gives the roles their rights', async () => {
    const { owner, app, readOnly } = urls();
    expect(await migrate(owner, app, readOnly)).toMatch(
      /^Applied: [^]*The application role shop_app has its rights\.[^]*The read-only role shop_readonly has its rights\./m,
    );
    expect(await readRows(readOnly, 'SELECT count(*)::int AS orders FROM orders')).toEqual([{ orders: 0 }]);
  });

  it('the settings of their sessions are those that the migrator gives to roles that it creates', async () => {
    await migrate(
      postgres.url,
      urlOf('made_app', 'a', 'rewardhook'),
      urlOf('made_readonly', 'r', 'rewardhook'),
    );
    const rows = await readRows<{ role: string; settings: string[] }>(
      postgres.url,
      `SELECT rolname AS role, ARRAY(SELECT unnest(setconfig) ORDER BY 1) AS settings
       FROM pg_db_role_setting JOIN pg_roles ON pg_roles.oid = setrole WHERE rolname ~ '^(shop|made)_'`,
    );
    const settings = new Map(rows.map((row) => [row.role, row.settings]));
    expect(settings.get('shop_app')).toEqual(settings.get('made_app'));
    expect(settings.get('shop_readonly')).toEqual(settings.get('made_readonly'));
    expect(settings.size).toBe(4);
  });

  it('DROP TABLE and TRUNCATE fail', async () => {
    const { app } = urls();
    await expect(runSql(app, 'DROP TABLE orders')).rejects.toThrow('must be owner of table orders');
    await expect(runSql(app, 'TRUNCATE orders')).rejects.toThrow('permission denied for table orders');
  });

  it('all processes start, and an order of a linked member results in two signed webhooks', async () => {
    stack = await startStack({ dataDir, ports: 'auto', databaseUrl: urls().app });
    expect(await orderToWebhook(stack)).toEqual(bothRewards);
    await waitForCleanDoctor(stack.environment);
  });
});

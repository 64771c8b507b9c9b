import { execFile } from 'node:child_process';
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@rewardhook/database';
import { buildOrder, freePort, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import {
  createMerchant,
  createTestDatabase,
  openAdmin,
  removeStackData,
  startPostgres,
  startStack,
} from '@rewardhook/testing/servers';
import { selfSigned } from '@rewardhook/testing/hostile-receiver';
import { Client } from 'pg';
import { exitCodes, runCommandLine } from '../apps/admin/src/run-command-line.ts';
import { callWithRetries, syncPath } from './harness/call-api.ts';
import { openCleanup } from './harness/cleanup.ts';

// As in production: separate processes and built code.
jest.setTimeout(180_000);

const cleanup = openCleanup();
const folder = temporaryFolder();
const secretsKey = Buffer.alloc(32, 1).toString('base64');
const [certificate, key, data] = ['server.crt', 'server.key', 'data'].map((name) =>
  join(folder.path, name),
) as [string, string, string];
let port: number;
let withoutTls: string;

const query = async (...statements: string[]) => {
  const client = new Client({ connectionString: socket() });
  await client.connect();
  let rows: unknown[] = [];
  for (const statement of statements) ({ rows } = await client.query(statement));
  await client.end();
  return rows;
};

/** The server takes the certificate for connections from now on. */
async function useCertificate(options: Parameters<typeof selfSigned>[0] = {}): Promise<void> {
  const made = selfSigned(options);
  writeFileSync(certificate, made.cert);
  writeFileSync(key, made.key, { mode: 0o600 });
}
const reload = () => query('SELECT pg_reload_conf()');

/** The URL with these parameters, on a host that the certificate is for. */
const url = (parameters: string, changes: { password?: string; database?: string } = {}) => {
  const { password = 'test', database = 'rewardhook' } = changes;
  return `postgresql://rewardhook:${password}@localhost:${port}/${database}?${parameters}`;
};
const verified = () => url(`sslmode=verify-full&sslrootcert=${certificate}`);
const socket = (parameters = '') =>
  `postgresql://rewardhook:test@/rewardhook?host=${folder.path}&port=${port}${parameters}`;

beforeAll(async () => {
  port = await freePort();
  const options = { dataDir: data, password: 'test', port, fsync: false };
  await useCertificate();
  const first = await startPostgres(options);
  await first.stop();
  const { uid, gid } = statSync(data);
  for (const path of [certificate, key, folder.path]) chownSync(path, uid, gid);
  const server = await startPostgres({
    ...options,
    settings: {
      ssl: 'on',
      ssl_cert_file: certificate,
      ssl_key_file: key,
      unix_socket_directories: folder.path,
    },
  });
  cleanup.add(async () => void (await server.stop()));
  withoutTls = server.url;
});
afterAll(async () => {
  await cleanup.run();
  folder.remove();
});

describe('PostgreSQL with TLS', () => {
  it('is used by the migration and by every process, with a certificate that is verified', async () => {
    const dataDir = join(folder.path, 'stack');
    const stack = await startStack({ dataDir, databaseUrl: verified(), env: { SECRETS_KEY: secretsKey } });
    try {
      const { secretKey } = await createMerchant(openAdmin(stack.environment), 'Shop');
      const answer = await callWithRetries(
        stack.apiUrl,
        syncPath,
        { orders: [buildOrder()] },
        { key: secretKey },
      );
      expect(answer.status).toBe(202);
      await waitFor(async () => (await query('SELECT 1 FROM orders')).length === 1, {
        deadlineMs: 20_000,
        what: 'the order',
      });
      const connections = (await query(
        `SELECT application_name AS name, bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE application_name LIKE 'rewardhook-%' GROUP BY 1 ORDER BY 1`,
      )) as { name: string; ssl: boolean }[];
      const processes = ['api', 'console', 'housekeeping', 'reward-evaluation', 'sync', 'webhook-delivery'];
      expect(connections.filter(({ name }) => processes.includes(name.replace('rewardhook-', '')))).toEqual(
        processes.map((name) => ({ name: `rewardhook-${name}`, ssl: true })),
      );
    } finally {
      await stack.stop();
      removeStackData(dataDir);
    }
  });

  it.each([
    ['sslmode=require', () => url('sslmode=require')],
    [
      'sslmode=require with a query of a managed provider',
      () => url('sslmode=require&channel_binding=require'),
    ],
    ['sslmode=verify-ca', () => url(`sslmode=verify-ca&sslrootcert=${certificate}`)],
    ['sslmode=verify-full', verified],
  ])('is used with %s', async (_mode, urlOf) => {
    const database = openDatabase({ url: urlOf(), poolSize: 1, applicationName: 'tls' });
    try {
      const ofSql = await database.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      const ofPrisma = await database.$queryRaw`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
      expect([ofSql, ofPrisma]).toEqual([[{ ssl: true }], [{ ssl: true }]]);
    } finally {
      await database.$disconnect();
    }
  });
});

describe('A UNIX socket of PostgreSQL', () => {
  it.each([
    ['', ''],
    ['with sslmode, which does not apply to it', '&sslmode=require'],
  ])('is used by the migration and the admin command %s', async (_how, parameters) => {
    const environment = { PATH: process.env['PATH'], DATABASE_URL: socket(parameters) };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(projectRoot, 'packages/database/dist/migrate-main.js')],
      { env: environment },
    );
    expect(stdout).toMatch(/up to date|Applied/);
    expect(await list(socket(parameters))).toMatchObject({ code: exitCodes.done });
  });
});

/** Runs a command that reads the database. */
async function list(databaseUrl: string): Promise<{ code: number; stderr: string }> {
  let stderr = '';
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: 'redis://127.0.0.1:1',
    SECRETS_KEY: secretsKey,
  };
  const code = await runCommandLine(['merchant', 'list'], environment, {
    out: () => undefined,
    warn: (message) => (stderr += message),
  });
  return { code, stderr };
}

describe('The admin command', () => {
  it.each([
    [
      'a wrong password',
      () => url('sslmode=require', { password: 'wrong' }),
      /refuses the user or the password/,
    ],
    [
      'a database that does not exist',
      () => url('sslmode=require', { database: 'nothing' }),
      /does not exist/,
    ],
    ['an untrusted certificate', () => url('sslmode=verify-full'), /not trusted: .*sslrootcert/],
  ])('names the cause: %s', async (_what, urlOf, cause) => {
    expect(await list(urlOf())).toEqual({
      code: exitCodes.unavailable,
      stderr: expect.stringMatching(cause),
    });
  });

  it('names the cause: a certificate for another host, an expired one, and no TLS where the server requires it', async () => {
    await useCertificate({ names: ['db.example'] });
    await reload();
    await waitFor(async () => (await list(verified())).stderr.includes('not for the host'), {
      what: 'the certificate for another host',
    });
    await useCertificate({ validDays: [-3, -1] });
    await reload();
    await waitFor(async () => (await list(verified())).stderr.includes('has expired'), {
      what: 'the expired certificate',
    });
    const rules = join(data, 'pg_hba.conf');
    const before = readFileSync(rules, 'utf8');
    writeFileSync(rules, `hostnossl rewardhook all all reject\n${before}`);
    await reload();
    await waitFor(async () => (await list(withoutTls)).stderr.includes('refuses connections without TLS'), {
      what: 'the refusal without TLS',
    });
    writeFileSync(rules, before);
    await reload();
  });

  it('names the cause: a server without TLS', async () => {
    const database = await createTestDatabase();
    expect(await list(`${database.url}?sslmode=require`)).toEqual({
      code: exitCodes.unavailable,
      stderr: expect.stringContaining('offers no TLS'),
    });
    await database.drop();
  });

  it('refuses a URL with more than one host', async () => {
    const refused = await list('postgresql://rewardhook:s3cret@one:5432,two:5432/rewardhook');
    expect(refused).toEqual({
      code: exitCodes.usage,
      stderr: expect.stringMatching(/"?DATABASE_URL"? names more than one host/),
    });
    expect(refused.stderr).not.toContain('s3cret');
  });
});

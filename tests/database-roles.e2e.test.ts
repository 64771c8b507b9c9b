import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  openAdmin,
  programArguments,
  projectRoot,
  removeStackData,
  runSql,
  startPostgres,
  startStack,
  temporaryFolder,
} from '@rewardhook/testing';
import type { Server, Stack } from '@rewardhook/testing';
import { bothRewards, orderToWebhook, waitForCleanDoctor } from './harness/index.ts';

// Every process for real, with the database role of the application.
jest.setTimeout(180_000);

describe('With the role of the application', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'stack');
  let postgres: Server;
  let stack: Stack | undefined;
  let appUrl: string;
  beforeAll(async () => {
    postgres = await startPostgres({ dataDir: join(folder.path, 'postgres'), password: 'p', fsync: false });
    appUrl = postgres.url.replace('rewardhook:p@', 'rewardhook_app:secret@');
  });
  afterAll(async () => {
    await stack?.stop();
    await postgres?.stop();
    removeStackData(dataDir);
    folder.remove();
  });

  it('the migrator applies the migrations as the owner, and creates the role', async () => {
    const args = programArguments('packages/database/migrate-main', 'built');
    const env = { ...process.env, DATABASE_URL: postgres.url, DATABASE_APP_URL: appUrl };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env });
    expect(stdout).toMatch(/^Applied: [^]*The application role rewardhook_app is set up\.\n$/m);
  });

  it('DROP TABLE and TRUNCATE fail', async () => {
    await expect(runSql(appUrl, 'DROP TABLE orders')).rejects.toThrow('must be owner of table orders');
    await expect(runSql(appUrl, 'TRUNCATE orders')).rejects.toThrow('permission denied for table orders');
  });

  it('all processes start, and an order of a linked member results in two signed webhooks', async () => {
    stack = await startStack({ dataDir, ports: 'auto', databaseUrl: appUrl });
    const admin = openAdmin(stack.environment);
    expect(await orderToWebhook({ apiUrl: stack.apiUrl, admin })).toEqual(bothRewards);
    await waitForCleanDoctor(stack.environment);
  });
});

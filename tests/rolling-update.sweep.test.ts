import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  freePort,
  openAdmin,
  projectRoot,
  startPostgres,
  startRedis,
  temporaryFolder,
} from '@rewardhook/testing';
import type { Server } from '@rewardhook/testing';
import { migrateDatabase } from '../packages/database/src/migrations/migrate.ts';
import { bothRewards, orderToWebhook } from './harness/index.ts';
import { checkOutPreviousRelease } from './rolling-update/previous-release.ts';
import { serviceNames, startService } from './rolling-update/start-service.ts';
import type { Service, ServiceName } from './rolling-update/start-service.ts';

// Separate processes of two releases, on the schema of this release.
jest.setTimeout(180_000);

describe('During a rolling update, on the schema of this release,', () => {
  const folder = temporaryFolder();
  const previous = join(folder.path, 'previous');
  const logs = join(folder.path, 'logs');
  const servers: Server[] = [];
  const running = new Map<ServiceName, Service>();
  let environment: Record<string, string>;
  let apiUrl: string;

  beforeAll(async () => {
    mkdirSync(logs);
    const checkedOut = checkOutPreviousRelease(previous);
    const postgres = await startPostgres({
      dataDir: join(folder.path, 'postgres'),
      password: 'p',
      fsync: false,
    });
    servers.push(postgres);
    const redis = await startRedis({ dir: join(folder.path, 'redis') });
    servers.push(redis);
    await migrateDatabase({ url: postgres.url });
    await checkedOut;
    const port = await freePort();
    apiUrl = `http://127.0.0.1:${port}`;
    environment = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      CONSOLE_PUBLIC_URL: 'http://127.0.0.1:3002',
      API_HOST: '127.0.0.1',
      API_PORT: String(port),
      LOG_LEVEL: 'info',
    };
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map((service) => service.stop()));
    for (const server of servers) await server.stop();
    folder.remove();
  });

  /** Replaces the processes of the given names by those of a checkout. */
  const replace = (names: readonly ServiceName[], checkout: string) =>
    Promise.all(
      names.map(async (name) => {
        await running.get(name)?.stop();
        running.set(name, await startService({ name, checkout, environment, logs }));
      }),
    );
  const workers = serviceNames.filter((name) => name !== 'api');
  /** One order in a request, and one among many, whose job is compressed. */
  const flows = () => {
    const service = { apiUrl, admin: openAdmin(environment, 'source') };
    return Promise.all([orderToWebhook(service), orderToWebhook(service, 100)]);
  };
  const allRewards = [bothRewards, bothRewards];

  it('the processes of the previous release deliver the webhooks of orders', async () => {
    await replace(serviceNames, previous);
    expect(await flows()).toEqual(allRewards);
  });

  it('the previous API and the new workers deliver the webhooks of orders', async () => {
    await replace(workers, projectRoot);
    expect(await flows()).toEqual(allRewards);
  });

  it('the new API with the new sync worker and the other previous workers deliver the webhooks of orders', async () => {
    await replace(['api'], projectRoot);
    await replace(
      workers.filter((name) => name !== 'sync'),
      previous,
    );
    expect(await flows()).toEqual(allRewards);
  });

  it('the previous sync worker leaves the orders of the new API to a new one', async () => {
    await replace(['sync'], previous);
    const delivered = flows();
    // A failure is reported below.
    delivered.catch(() => undefined);
    await replace(['sync'], projectRoot);
    expect(await delivered).toEqual(allRewards);
  });

  it('the migrator of the previous release finds nothing to do', async () => {
    const args = ['--import', 'tsx', '-C', 'source', 'packages/database/src/migrate-main.ts'];
    const env = { ...process.env, ...environment };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: previous, env });
    expect(stdout).toContain('up to date');
  });
});

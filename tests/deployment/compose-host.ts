import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, openLogFile, startPostgres, startProcess, waitFor } from '@rewardhook/local-stack';
import type { RunningProcess, Server } from '@rewardhook/local-stack';
import { projectRoot } from '@rewardhook/testing';
import { composeFile, imageEnvironment, interpolate } from '../settings/deployment-files.ts';
import type { ComposeFile } from '../settings/deployment-files.ts';
import { imageEntrypoint } from './build-image.ts';

/** A service of docker-compose.yml that runs as a plain process. */
export interface RunningService {
  process: RunningProcess;
  /** `http://127.0.0.1:<port>` of health and metrics. */
  health: string;
  /** The same of its own port, if it has one. */
  url: string;
  log: string;
}

/** What Compose would start, as plain processes with the commands and environments of docker-compose.yml. */
export interface ComposeHost {
  /** Starts a service. More arguments follow its command, as with `docker compose run`. */
  start(name: string, ...args: string[]): Promise<RunningService>;
  /** The limit of a service's memory, in bytes. */
  memoryOf(name: string): number;
  secretPath(name: string): string;
  /** Starts services of this file from now on. */
  use(file: ComposeFile): void;
  /** Gives a setting to the services that are started from now on, as a line of .env does. */
  set(setting: string, value: string): void;
  stop(): Promise<void>;
}

/**
 * Creates the secrets with ops/compose/create-secrets.sh and starts PostgreSQL and Redis as docker-compose.yml describes
 * them. Only what containers have for themselves is replaced: host names, ports, and the paths /app, /run/secrets and /data.
 */
export async function startComposeHost(folder: string, app: string): Promise<ComposeHost> {
  let compose = composeFile();
  const secrets = join(folder, 'secrets');
  execFileSync(join(projectRoot, 'ops/compose/create-secrets.sh'), [secrets]);
  // A container sees the files without the folder.
  chmodSync(secrets, 0o755);
  const inHost = (text: string) =>
    text
      .replaceAll('/run/secrets/', `${secrets}/`)
      .replaceAll('/app/', `${app}/`)
      .replaceAll('http://api:3000', () => urls.get('api') ?? '');
  const urls = new Map<string, string>();
  const started: (Server | RunningProcess)[] = [];
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    password: readFileSync(join(secrets, 'postgres_password'), 'utf8').trim(),
    fsync: false,
  });
  started.push(postgres);
  const redisPort = await freePort();
  const redis = await startRedis(folder, redisPort, inHost, compose);
  started.push(redis);
  const replaceIn = (name: string, from: string, to: string) => {
    const path = join(secrets, name);
    writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replace(from, to), { mode: 0o444 });
    renameSync(`${path}.new`, path);
  };
  const postgresHost = new URL(postgres.url).host;
  for (const name of ['database_url', 'database_owner_url', 'database_readonly_url'])
    replaceIn(name, '@postgres:5432', `@${postgresHost}`);
  replaceIn('redis_url', '@redis:6379', `@127.0.0.1:${redisPort}`);

  const memoryOf = (name: string) => {
    const limit = String(compose.services[name]?.deploy?.resources.limits['memory'] ?? '512M');
    return Number(/^(\d+)M$/.exec(limit)?.[1]) * 1_048_576;
  };
  const settings: Record<string, string> = {};
  return {
    memoryOf,
    use: (file) => void (compose = file),
    set: (setting, value) => void (settings[setting] = value),
    secretPath: (name) => join(secrets, name),
    async start(name, ...args) {
      const service = compose.services[name];
      if (!service) throw new Error(`There is no service ${name}`);
      const health = await freePort();
      const own = await freePort();
      urls.set(name, `http://127.0.0.1:${own}`);
      const given = Object.entries(service.environment ?? {}).map(([key, value]) => [
        key,
        key.endsWith('_PORT') ? String(own) : inHost(interpolate(String(value), settings)),
      ]);
      const command = [
        ...(service.entrypoint ?? imageEntrypoint()),
        ...[service.command ?? []].flat(),
        ...args,
      ];
      const [program = '', ...rest] = command.map((part) => inHost(interpolate(part)));
      const log = join(folder, `${name}.log`);
      const process_ = await startProcess({
        command: program,
        args: rest,
        cwd: app,
        // Nothing of this process' environment but where programs are. V8 takes half of a container's memory for its heap.
        env: {
          PATH: process.env['PATH'],
          NODE_OPTIONS: `--max-old-space-size=${memoryOf(name) / 2 / 1_048_576}`,
          ...imageEnvironment(),
          HEALTH_PORT: String(health),
          ...(Object.fromEntries(given) as Record<string, string>),
        },
        log: openLogFile(log),
        // The user of the image, where tests run as root: it cannot write into the folder of the image.
        user: process.getuid?.() === 0 ? { uid: 1_000, gid: 1_000 } : undefined,
      });
      started.push(process_);
      return { process: process_, health: `http://127.0.0.1:${health}`, url: `http://127.0.0.1:${own}`, log };
    },
    async stop() {
      for (const server of started.reverse()) await server.stop();
    },
  };
}

/** Starts Redis with the command of docker-compose.yml, and waits for its health check. */
async function startRedis(
  folder: string,
  port: number,
  inHost: (text: string) => string,
  compose: ComposeFile,
): Promise<RunningProcess> {
  const service = compose.services['redis'];
  const data = join(folder, 'redis');
  mkdirSync(data);
  const words = interpolate(String(service?.command)).match(/"[^"]*"|\S+/g) ?? [];
  const [program = '', ...args] = words.map((word) => inHost(word.replaceAll('"', '')));
  const redis = await startProcess({
    command: program,
    args: [...args, '--port', String(port), '--bind', '127.0.0.1', '--dir', data],
    log: openLogFile(join(folder, 'redis.log')),
  });
  const check = service?.healthcheck?.test?.at(-1)?.replace('redis-cli', `redis-cli -p ${port}`) ?? 'false';
  await waitFor(() => {
    execFileSync('sh', ['-c', check], { stdio: 'ignore' });
    return true;
  });
  return redis;
}

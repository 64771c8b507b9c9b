import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { environmentDifferences } from '../settings/compare-environment.ts';
import {
  composeFile,
  composeFileToTry,
  imageEnvironment,
  leftOutOfDeployments,
  longestShutdownSeconds,
  projectFile,
} from '../settings/deployment-files.ts';
import { schemas, services, settingsOf } from '../settings/processes.ts';

const compose = composeFile();
const ours = Object.entries(compose.services).filter(([name]) => name in schemas);
const version = (JSON.parse(projectFile('package.json')) as { version: string }).version;

describe('docker-compose.yml', () => {
  it('has a service for every process and command', () => {
    expect(ours.map(([name]) => name).sort()).toEqual(Object.keys(schemas).sort());
  });

  it.each(ours)(
    'gives %s every setting that it reads, its secrets as files, and nothing else',
    (name, service) => {
      const environment = service.environment ?? {};
      const declared = settingsOf(name);
      expect(
        environmentDifferences(name, Object.keys(environment), declared, leftOutOfDeployments()),
      ).toEqual([]);
      const files = Object.entries(environment).filter(([key]) => key.endsWith('_FILE'));
      expect(files.map(([, path]) => String(path)).sort()).toEqual(
        service.secrets?.map((secret) => `/run/secrets/${secret}`).sort(),
      );
    },
  );

  it('takes settings from .env under their names, and leaves the defaults to the processes', () => {
    const own = Object.fromEntries(
      ours.flatMap(([, { environment = {} }]) =>
        Object.entries(environment).flatMap(([name, value]) => {
          return name.endsWith('_FILE') || value === `\${${name}:-}` ? [] : [[name, value]];
        }),
      ),
    ) as Record<string, unknown>;
    expect(own).toEqual({
      API_PORT: 3000,
      DASHBOARD_PORT: 3001,
      CONSOLE_PORT: 3002,
      CONSOLE_PUBLIC_URL: '${CONSOLE_PUBLIC_URL:-http://localhost:3002}',
    });
  });

  it('gives only migrate the URL of the owner of the schema', () => {
    const withOwner = ours.filter(([, { secrets }]) => secrets?.includes('database_owner_url'));
    expect(withOwner.map(([name]) => name)).toEqual(['migrate']);
  });

  it('mounts the secrets that ops/compose/create-secrets.sh writes, and a second run keeps them', () => {
    const folder = temporaryFolder();
    try {
      const create = () =>
        execFileSync(join(projectRoot, 'ops/compose/create-secrets.sh'), [folder.path], { encoding: 'utf8' });
      expect(create()).toContain('secrets_key');
      const written = readdirSync(folder.path);
      for (const [name, { file }] of Object.entries(compose.secrets)) {
        expect(file).toBe(`./secrets/${name}`);
        expect(written).toContain(name);
      }
      expect(create()).toBe('');
    } finally {
      folder.remove();
    }
    const declared = Object.keys(compose.secrets).sort();
    const mounted = new Set(Object.values(compose.services).flatMap(({ secrets = [] }) => secrets));
    expect([...mounted].sort()).toEqual(declared);
  });

  it('publishes ports on this host only, unless a setting allows more', () => {
    const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBeGreaterThan(2);
    for (const port of published)
      expect(port).toMatch(/^(127\.0\.0\.1|\$\{PUBLISH_ADDRESS:-127\.0\.0\.1\}):/);
  });

  it.each(Object.entries(compose.services))(
    '%s has a pinned image, limits, bounded logs, and no more rights than it needs',
    (name, service) => {
      expect(service.image).toMatch(
        name in schemas
          ? `rewardhook:\${REWARDHOOK_VERSION:-${version}}`
          : /^\w+:[\w.-]+@sha256:[0-9a-f]{64}$/,
      );
      const { cpus, memory, pids } = service.deploy?.resources.limits ?? {};
      expect([cpus, memory, pids].every(Boolean)).toBe(true);
      expect(service.logging?.options['max-size']).toBeDefined();
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
      expect(service.stop_grace_period).toMatch(/^\d+s$/);
      if (name === 'postgres') return; // Its image changes the owner of its folders as root, then becomes postgres.
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    },
  );

  it('gives a process more time to stop than it takes at most', () => {
    for (const [, { stop_grace_period: period }] of ours)
      expect(Number(period?.replace('s', ''))).toBeGreaterThanOrEqual(longestShutdownSeconds() + 2);
  });

  it('checks the readiness of every process on the port that the image sets', () => {
    for (const name of services)
      expect(compose.services[name]?.healthcheck?.test?.join(' ')).toContain(
        `127.0.0.1:${imageEnvironment()['HEALTH_PORT']}/health/ready`,
      );
  });
});

it('A deployment that lacks a setting, has an unknown one or gives a secret in clear is found', () => {
  const declared = [
    { name: 'REDIS_URL', required: true, secret: true, default: undefined },
    { name: 'SECRETS_KEY', required: true, secret: true, default: undefined },
    { name: 'QUEUE_SHARDS', required: false, secret: false, default: 1 },
    { name: 'MAIL_FOLDER', required: false, secret: false, default: undefined },
  ];
  const given = ['REDIS_URL', 'SECRETS_KEY_FILE', 'QUEUE_SHARD', 'DATABASE_URL_FILE', 'MAIL_FOLDER'];
  expect(
    environmentDifferences('sync', given, declared, { image: [], development: ['MAIL_FOLDER'] }),
  ).toEqual([
    'sync gets the secret REDIS_URL in clear',
    'sync does not get QUEUE_SHARDS',
    'sync does not read QUEUE_SHARD',
    'sync does not read DATABASE_URL_FILE',
    'sync gets MAIL_FOLDER, which is for development only',
  ]);
});

describe('compose.dev.yml', () => {
  const { services: servers } = composeFile('compose.dev.yml');

  it('has the PostgreSQL and Redis of docker-compose.yml, on this host only', () => {
    for (const name of ['postgres', 'redis'])
      expect(servers[name]?.image).toBe(compose.services[name]?.image);
    expect(String(servers['redis']?.command)).toMatch(/--appendonly yes --appendfsync always .*noeviction/);
    const ports = Object.values(servers).flatMap((server) => server.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('says the URLs at which npm run dev reaches them', () => {
    const urls = [...projectFile('compose.dev.yml').matchAll(/_URL=(\S+)/g)].map(
      ([, url = '']) => new URL(url),
    );
    const published = ['postgres', 'redis', 'mailpit'].map(
      (name) => servers[name]?.ports?.[0]?.split(':')[1],
    );
    expect(urls.map(({ port }) => port)).toEqual(published);
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password } = servers['postgres']?.environment ?? {};
    expect([urls[0]?.username, urls[0]?.password]).toEqual([user, password]);
  });
});

describe('compose.try.yml', () => {
  const tried = composeFileToTry();

  it('puts every process that knows loopback webhooks into development mode, and no other', () => {
    const inDevelopment = Object.entries(tried.services).filter(
      ([, { environment = {} }]) => environment['NODE_ENV'] === 'development',
    );
    const names = inDevelopment.map(([name]) => name);
    const reading = services.filter((name) =>
      settingsOf(name).some((setting) => setting.name === 'WEBHOOK_ALLOW_LOOPBACK'),
    );
    expect(names.toSorted()).toEqual([...reading, 'shop'].toSorted());
  });

  it('gives the shop the network of webhook-delivery, which publishes its port on this host only', () => {
    expect(tried.services['shop']).toMatchObject({ network_mode: 'service:webhook-delivery' });
    expect(tried.services['webhook-delivery']?.ports).toEqual(['127.0.0.1:4000:4000']);
    expect(tried.services['shop']?.image).toBe(compose.services['api']?.image);
  });
});

describe('The image', () => {
  const dockerfile = projectFile('Dockerfile');
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);

  it('is built from one Node.js image with a digest, the version that CI runs tests on', () => {
    expect(new Set(bases).size).toBe(1);
    const node = /^node:(\d+\.\d+\.\d+)-bookworm-slim@sha256:[0-9a-f]{64}$/.exec(bases[0] ?? '')?.[1];
    expect(projectFile('.ci/run')).toContain(`node@${node}`);
  });

  it('has the version of package.json, and runs as a user that is not root', () => {
    expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
    expect(dockerfile).toContain('org.opencontainers.image.version="$VERSION"');
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  });

  it('does not get the secrets of this machine into its build', () => {
    const ignored = projectFile('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.env*', 'secrets', '.git', '.local']));
    expect(projectFile('.gitignore').split('\n')).toEqual(expect.arrayContaining(['.env', 'secrets/']));
  });
});

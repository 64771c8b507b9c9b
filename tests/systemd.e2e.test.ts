import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile, startProcess } from '@rewardhook/local-stack';
import type { RunningProcess, Server } from '@rewardhook/local-stack';
import { freePorts, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import { startPostgres, startRedis } from '@rewardhook/testing/servers';
import { longestShutdownSeconds } from './settings/deployment-files.ts';
import { services, settingsOf } from './settings/processes.ts';
import { copyUnits, readUnit } from './systemd/units.ts';

jest.setTimeout(180_000);

/** The units of ops/systemd in a folder of their own, whose checkout is this one. */
const folder = temporaryFolder();
const units = join(folder.path, 'units');
const secrets = join(folder.path, 'settings/secrets');
const settings = join(folder.path, 'settings/rewardhook.env');
copyUnits(units, { checkout: projectRoot, settings: join(folder.path, 'settings') });
afterAll(() => folder.remove());

const processUnits = services.map((name) => `rewardhook@${name}`);
const commandUnits = ['rewardhook-migrate', 'rewardhook-doctor'];
const unitOf = (name: string, credentials = secrets) => readUnit(units, name, credentials);
const processOf = (unit: string) =>
  unit === 'rewardhook-doctor' ? 'admin' : unit.replace(/^rewardhook[-@]/, '');

describe('The units of ops/systemd', () => {
  const analyze = (...args: string[]) =>
    spawnSync('systemd-analyze', args, {
      encoding: 'utf8',
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${units}:` },
    });

  it('are read by systemd without a warning', () => {
    const names = ['rewardhook.target', 'rewardhook-doctor.timer'];
    const services_ = [...processUnits, ...commandUnits].map((name) => `${name}.service`);
    const { status, stdout, stderr } = analyze('verify', '--man=no', ...names, ...services_);
    expect([status, stdout + stderr]).toEqual([0, '']);
  });

  it.each(['rewardhook@api', ...commandUnits])('leave %s few rights: systemd rates them "OK"', (name) => {
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=20', `${name}.service`);
    expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, expect.stringContaining('OK')]);
  });

  it('are all started by the target', () => {
    const target = readFileSync(join(units, 'rewardhook.target'), 'utf8');
    const wanted = [...target.matchAll(/^Wants=(.+)\.service$/gm)].map(([, name]) => name);
    expect(wanted.toSorted()).toEqual(processUnits.toSorted());
  });

  it.each([...processUnits, ...commandUnits])(
    'give %s the secrets that it reads, as files, and no others',
    (name) => {
      const { environment, credentials } = unitOf(name, '/credentials');
      const read = settingsOf(processOf(name)).filter(({ secret }) => secret);
      const files = Object.entries(environment).filter(([key]) => key.endsWith('_FILE'));
      expect(files.map(([key]) => key).toSorted()).toEqual(read.map((one) => `${one.name}_FILE`).toSorted());
      expect(files.map(([, path]) => path).toSorted()).toEqual(
        Object.keys(credentials)
          .map((credential) => `/credentials/${credential}`)
          .toSorted(),
      );
      expect(Object.values(credentials)).toEqual(Object.keys(credentials).map((file) => join(secrets, file)));
    },
  );

  it.each(processUnits)('give %s the time that its end takes', (name) => {
    const seconds = Number(/^(\d+)s$/.exec(unitOf(name).settings['TimeoutStopSec'] ?? '')?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(longestShutdownSeconds() + 2);
  });
});

describe('The commands of the units', () => {
  let postgres: Server;
  let redis: Server;
  const running = new Map<string, { process: RunningProcess; health: string; log: string }>();

  beforeAll(async () => {
    postgres = await startPostgres({ dataDir: join(folder.path, 'postgres'), password: 'p', fsync: false });
    mkdirSync(join(folder.path, 'redis'));
    redis = await startRedis({ dir: join(folder.path, 'redis') });
    mkdirSync(join(folder.path, 'settings'), { recursive: true });
    execFileSync(join(projectRoot, 'ops/compose/create-secrets.sh'), [secrets]);
    const host = new URL(postgres.url).host;
    const urls = {
      database_owner_url: postgres.url,
      database_url: `postgresql://rewardhook_app:a@${host}/rewardhook`,
      database_readonly_url: `postgresql://rewardhook_readonly:r@${host}/rewardhook`,
      redis_url: redis.url,
    };
    for (const [name, url] of Object.entries(urls)) writeFileSync(join(secrets, `${name}.new`), url);
    for (const name of Object.keys(urls)) {
      execFileSync('mv', ['-f', join(secrets, `${name}.new`), join(secrets, name)]);
    }
    copyFileSync(join(projectRoot, '.env.example'), settings);
    writeFileSync(settings, `${readFileSync(settings, 'utf8')}CONSOLE_PUBLIC_URL=https://console.example\n`);
  });
  afterAll(async () => {
    for (const { process: one } of running.values()) await one.stop();
    await redis?.stop();
    await postgres?.stop();
  });

  /** The settings that a unit reads with EnvironmentFile. */
  const fromFile = () =>
    Object.fromEntries(
      readFileSync(settings, 'utf8')
        .split('\n')
        .filter((line) => /^\w+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    ) as Record<string, string>;

  async function start(name: string, ports: Record<string, number> = {}) {
    const { command, environment, settings: other } = unitOf(name);
    const [program = '', ...args] = command;
    const log = join(folder.path, `${name}.log`);
    // Without the output of an earlier start: a log is appended to.
    rmSync(log, { force: true });
    const started = await startProcess({
      command: program,
      args,
      cwd: other['WorkingDirectory'] ?? '/',
      // As systemd: nothing of this process' environment but where programs are.
      env: {
        PATH: process.env['PATH'],
        ...environment,
        ...('EnvironmentFile' in other ? fromFile() : {}),
        ...Object.fromEntries(Object.entries(ports).map(([key, port]) => [key, String(port)])),
      },
      log: openLogFile(log),
    });
    return { process: started, log };
  }

  it('rewardhook-migrate creates the tables and the roles', async () => {
    const { process: migrate, log } = await start('rewardhook-migrate');
    expect([(await migrate.exited).code, readFileSync(log, 'utf8')]).toEqual([
      0,
      expect.stringContaining('The application role rewardhook_app is set up.'),
    ]);
  });

  it('every process becomes ready', async () => {
    const ports = await freePorts(2 * services.length);
    for (const [index, name] of services.entries()) {
      const [health = 0, own = 0] = ports.slice(2 * index);
      const { process: started, log } = await start(`rewardhook@${name}`, {
        HEALTH_PORT: health,
        [`${name.toUpperCase()}_PORT`]: own,
      });
      running.set(name, { process: started, health: `http://127.0.0.1:${health}`, log });
    }
    for (const [name, { health, log }] of running) {
      const ready = async () => (await fetch(`${health}/health/ready`)).ok;
      await waitFor(ready, { deadlineMs: 60_000, what: name }).catch((error: Error) => {
        throw new Error(`${error.message}\n${readFileSync(log, 'utf8')}`);
      });
    }
  });

  it('rewardhook-admin creates a merchant, and rewardhook-doctor finds nothing', async () => {
    const admin = spawnSync(join(units, 'rewardhook-admin'), ['merchant', 'create', '--name', 'Tea shop'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(admin.stderr).toBe('');
    expect(JSON.parse(admin.stdout)).toMatchObject({ merchantId: expect.stringMatching(/^mer_/) as string });
    const examine = async () => {
      const { process: doctor, log } = await start('rewardhook-doctor');
      const { code } = await doctor.exited;
      const report = JSON.parse(readFileSync(log, 'utf8')) as { faults: { checksUnfinished: number } };
      return { code, report };
    };
    // On a busy machine a check may not end in its time, which doctor says.
    let last = await examine();
    const haveChecksEnded = async () => {
      if (last.report.faults.checksUnfinished === 0) return true;
      last = await examine();
      return false;
    };
    await waitFor(haveChecksEnded, { deadlineMs: 60_000, what: 'a doctor whose checks end' });
    expect(last).toEqual({ code: 0, report: expect.objectContaining({ clean: true }) as object });
  });

  it('SIGTERM ends every process with code 0', async () => {
    for (const [name, { process: one }] of running)
      expect([name, await one.stop(20_000)]).toEqual([name, { code: 0, signal: null }]);
  });
});

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freePort, projectRoot, waitFor } from '@rewardhook/testing';
import { programArguments } from '@rewardhook/testing/servers';
import type { TestEnvironment } from './start-api.ts';

/** An app as a process of its own, from its built code, which may not become ready. */
export interface SpawnedProcess {
  /** Of the API its address, of a worker that of its health check. */
  url: string;
  pid: number;
  /** What it has logged. */
  log(): string;
  /** Resolves with its exit code when it has ended. */
  ended: Promise<number | null>;
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

/** An app as a process of its own that is ready. */
export interface AppProcess {
  /** Of the API its address, of a worker that of its health check. */
  url: string;
  pid: number;
  /** Whether it is still the process that was started. */
  isRunning(): boolean;
  /** The most memory that it had, in MB. */
  peakMegabytes(): number;
  close(): Promise<void>;
}

/** The settings with the host and the port of the HTTP server. */
const health = (port: number) => ({ HEALTH_PORT: String(port) });
const listening = {
  api: (port: number) => ({ API_PORT: String(port) }),
  sync: health,
  'reward-evaluation': health,
  'webhook-delivery': health,
  housekeeping: health,
  dashboard: health,
};

/** Starts an app as a process, which is expected to end, or not to be ready. */
export async function spawnProcess(
  app: keyof typeof listening,
  environment: TestEnvironment,
): Promise<SpawnedProcess> {
  const { child, url } = await spawnApp(app, environment, {}, 'pipe');
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    url,
    pid: child.pid as number,
    log: () => log,
    ended,
    isReady: () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function spawnApp(
  app: keyof typeof listening,
  { databaseUrl, redisUrl, prefix, secretsKey }: TestEnvironment,
  settings: Record<string, string>,
  output: 'pipe' | 'ignore',
): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const child = spawn(process.execPath, programArguments(`apps/${app}/main`, 'built'), {
    cwd: projectRoot,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: prefix,
      SECRETS_KEY: secretsKey,
      ...listening[app](port),
      ...settings,
    },
    stdio: ['ignore', output, output === 'pipe' ? 'pipe' : 'inherit'],
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

/** Starts an app as a process, for tests that stop it or use up its memory. Resolves when it is ready. */
export async function startProcess(
  app: keyof typeof listening,
  environment: TestEnvironment,
  settings: Record<string, string> = {},
): Promise<AppProcess> {
  const { child, url } = await spawnApp(app, environment, settings, 'ignore');
  const exited = once(child, 'exit');
  const ready = () => fetch(`${url}/health/ready`).then(({ ok }) => ok);
  await waitFor(ready, { deadlineMs: 60_000, everyMs: 50 }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    pid: child.pid as number,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    peakMegabytes: () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024,
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePorts, projectRoot, waitFor } from '@rewardhook/testing';
import { readApiSettings } from './environment.ts';

/** Starts the process of the API as in development, with these settings only. */
function startMain(settings: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', '-C', 'source', 'apps/api/src/main.ts'], {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return { exited, output: () => output, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

describe('the settings of the API', () => {
  it('Missing settings are named, all of them', () => {
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY'])
      expect(() => readApiSettings({})).toThrow(`${name} is not set`);
  });

  it('The process does not start with invalid settings, and names all of them', async () => {
    const wrong = startMain({
      DATABASE_URL: 'mysql://user:hunter2-password@db/shop',
      REDIS_URL: 'localhost:6379',
      SECRETS_KEY: 'too-short-secret',
      API_PORT: 'ninety',
      API_TRUST_PROXY: '-1',
      LOG_LEVEL: 'loud',
      QUEUE_PREFIX: 'a:b',
    });
    expect(await wrong.exited).toBe(1);
    for (const name of [
      'DATABASE_URL',
      'REDIS_URL',
      'SECRETS_KEY',
      'API_PORT',
      'API_TRUST_PROXY',
      'LOG_LEVEL',
      'QUEUE_PREFIX',
    ])
      expect(wrong.output()).toContain(name);
    // Neither secrets nor stacks are logged.
    expect(wrong.output()).not.toMatch(/hunter2|too-short-secret|\n\s+at /);
  });

  it('Without Redis and PostgreSQL the process starts, is alive but not ready, and exits on SIGTERM', async () => {
    const [port, health, unusedPort] = (await freePorts(3)) as [number, number, number];
    const main = startMain({
      DATABASE_URL: `postgresql://nobody@127.0.0.1:${unusedPort}/none`,
      REDIS_URL: `redis://127.0.0.1:${unusedPort}`,
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      API_PORT: String(port),
      HEALTH_PORT: String(health),
    });
    try {
      const statusOf = async (path: string, at = port) =>
        (await fetch(`http://127.0.0.1:${at}${path}`)).status;
      await waitFor(() => statusOf('/health/live').then((status) => status === 200), {
        deadlineMs: 20_000,
        everyMs: 50,
      });
      expect(await statusOf('/health/ready')).toBe(503);
      await waitFor(() => statusOf('/health/ready', health).then((status) => status === 503));
      const publicly = await fetch(`http://127.0.0.1:${port}/health/ready`);
      expect(await publicly.json()).toEqual({ status: 'unavailable' });
      const privately = await fetch(`http://127.0.0.1:${health}/health/ready`);
      expect(await privately.json()).toMatchObject({ checks: { redis: 'Redis is unreachable' } });
      const metrics = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
      expect(metrics).toMatch(/^rewardhook_redis_state\{state="unreachable"\} 1$/m);
    } finally {
      main.kill('SIGTERM');
    }
    expect(await main.exited).toBe(0);
  });
});

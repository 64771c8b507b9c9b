import { Registry } from 'prom-client';
import { checkHealth, serveHealth } from './health.ts';

describe('health', () => {
  it('is unavailable while one check fails, and says which', async () => {
    const report = await checkHealth({ a: () => 1, b: () => Promise.reject(new Error('no route')) });
    expect(report).toEqual({ status: 'unavailable', checks: { a: 'ok', b: 'no route' } });
  });

  it('tells the details that checks return', async () => {
    const report = await checkHealth({ redis: () => '41 % of 1024 MiB used', database: () => undefined });
    expect(report).toEqual({
      status: 'ok',
      checks: { redis: 'ok', database: 'ok' },
      details: { redis: '41 % of 1024 MiB used' },
    });
  });

  it('does not hang with a check that hangs', async () => {
    const report = await checkHealth({ slow: () => new Promise(() => undefined) }, 20);
    expect(report.checks).toEqual({ slow: 'no answer within 20 ms' });
  });

  it('is served as live, ready and metrics', async () => {
    let fault: Error | undefined;
    const served = await serveHealth({
      host: '127.0.0.1',
      port: 0,
      registry: new Registry(),
      checks: {
        part: () => {
          if (fault) throw fault;
        },
      },
    });
    const status = async (path: string) => (await fetch(served.url + path)).status;
    expect(await status('/health/live')).toBe(200);
    expect(await status('/health/ready')).toBe(200);
    fault = new Error('gone');
    expect(await status('/health/ready')).toBe(503);
    expect(await status('/health/live')).toBe(200);
    expect(await status('/metrics')).toBe(200);
    expect(await status('/else')).toBe(404);
    await served.close();
  });
});

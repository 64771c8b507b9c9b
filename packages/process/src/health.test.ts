import { connect } from 'node:net';
import { waitFor } from '@rewardhook/testing';
import { checkHealth, serveHealth } from './health.ts';
import type { DependencyCheck, HealthCheck } from './health.ts';
import { openMetrics } from './metrics.ts';

const all = (checks: Record<string, HealthCheck>, required = true): DependencyCheck[] =>
  Object.entries(checks).map(([name, check]) => ({ name, check, required }));

describe('health', () => {
  it('The status is unavailable while a check fails, and the report names the check', async () => {
    const report = await checkHealth(all({ a: () => 1, b: () => Promise.reject(new Error('no route')) }));
    expect(report).toEqual({ status: 'unavailable', checks: { a: 'ok', b: 'no route' } });
  });

  it('The report contains the details that checks return', async () => {
    const report = await checkHealth(
      all({ redis: () => '41 % of 1024 MiB used', database: () => undefined }),
    );
    expect(report).toEqual({
      status: 'ok',
      checks: { redis: 'ok', database: 'ok' },
      details: { redis: '41 % of 1024 MiB used' },
    });
  });

  it('A check that is not required is reported and does not change the status', async () => {
    const report = await checkHealth(all({ database: () => Promise.reject(new Error('no route')) }, false));
    expect(report).toEqual({ status: 'ok', checks: { database: 'no route' } });
  });

  it('A check that hangs fails after the timeout', async () => {
    const report = await checkHealth(all({ slow: () => new Promise(() => undefined) }), 20);
    expect(report.checks).toEqual({ slow: 'no answer within 20 ms' });
  });

  it('Liveness, readiness and metrics are served over HTTP', async () => {
    let fault: Error | undefined;
    const shutdown = new AbortController();
    const served = await serveHealth({
      host: '127.0.0.1',
      port: 0,
      metrics: openMetrics(),
      log: { info: () => undefined },
      shutdown: shutdown.signal,
      checks: all({
        redis: () => {
          if (fault) throw fault;
        },
      }),
    });
    const status = async (path: string) => (await fetch(served.url + path)).status;
    expect(await status('/health/live')).toBe(200);
    expect(await status('/health/ready')).toBe(200);
    fault = new Error('no route');
    expect(await status('/health/ready')).toBe(503);
    expect(await status('/health/live')).toBe(200);
    expect(await status('/metrics')).toBe(200);
    expect(await status('/else')).toBe(404);
    fault = undefined;
    expect(await status('/health/ready')).toBe(200);
    shutdown.abort();
    expect(await status('/health/ready')).toBe(503);
    await served.close();
  });

  it('Of 1,400 requests in one write eight are handled', async () => {
    let checked = 0;
    const lines: unknown[] = [];
    const metrics = openMetrics();
    const served = await serveHealth({
      host: '127.0.0.1',
      port: 0,
      metrics,
      log: { info: (_message, fields) => void lines.push(fields) },
      shutdown: new AbortController().signal,
      checks: all({ redis: () => void (checked += 1) }),
    });
    const client = connect(Number(new URL(served.url).port), '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET /health/ready HTTP/1.1\r\nHost: api\r\n\r\n'.repeat(1_400));
    await waitFor(() => lines.length > 0);
    await served.close();
    expect(checked).toBe(8);
    expect(lines).toEqual([{ client: '127.0.0.0/24', requests: expect.any(Number) }]);
  });
});

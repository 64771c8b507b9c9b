import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Registry } from 'prom-client';

/** Tells whether one thing the process needs is there; throws or rejects when it is not. A text it returns is a detail. */
export type HealthCheck = () => unknown;

export interface HealthReport {
  status: 'ok' | 'unavailable';
  /** Name of the check → 'ok' or what is wrong. */
  checks: Record<string, string>;
  /** Name of the check → what it says besides, such as how full Redis is. */
  details?: Record<string, string>;
}

/** Runs all checks, each with a deadline in milliseconds: a check that hangs is a failed one. */
export async function checkHealth(
  checks: Record<string, HealthCheck>,
  deadlineMs = 2_000,
): Promise<HealthReport> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check, deadlineMs)] as const),
  );
  const healthy = results.every(([, { outcome }]) => outcome === 'ok');
  const details = results.flatMap(([name, { detail }]) => (detail === undefined ? [] : [[name, detail]]));
  return {
    status: healthy ? 'ok' : 'unavailable',
    checks: Object.fromEntries(results.map(([name, { outcome }]) => [name, outcome])),
    ...(details.length > 0 ? { details: Object.fromEntries(details) as Record<string, string> } : {}),
  };
}

async function outcomeOf(
  check: HealthCheck,
  deadlineMs: number,
): Promise<{ outcome: string; detail?: string }> {
  const done = new AbortController();
  const noAnswer = Symbol('no answer');
  const late = setTimeout(deadlineMs, noAnswer, { signal: done.signal });
  try {
    const first: unknown = await Promise.race([(async () => check())(), late]);
    if (first === noAnswer) return { outcome: `no answer within ${deadlineMs} ms` };
    return typeof first === 'string' ? { outcome: 'ok', detail: first } : { outcome: 'ok' };
  } catch (error) {
    return { outcome: error instanceof Error ? error.message || error.name : String(error) };
  } finally {
    late.catch(() => undefined);
    done.abort();
  }
}

/**
 * Serves `GET /health/live` (the process runs), `/health/ready` (all it needs is there; 503 otherwise)
 * and `/metrics` (Prometheus text). Port 0 takes any free one.
 */
export async function serveHealth(options: {
  host: string;
  port: number;
  checks: Record<string, HealthCheck>;
  registry: Registry;
}): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const serve = async () => {
      if (request.url === '/health/live') return answer(200, 'application/json', '{"status":"ok"}');
      if (request.url === '/health/ready') {
        const report = await checkHealth(options.checks);
        return answer(report.status === 'ok' ? 200 : 503, 'application/json', JSON.stringify(report));
      }
      if (request.url === '/metrics')
        return answer(200, options.registry.contentType, await options.registry.metrics());
      return answer(404, 'application/json', '{"code":"not_found"}');
    };
    serve().catch((error: unknown) => answer(500, 'text/plain', String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { guardConnections } from './guard-connections.ts';
import { listen } from './http-server.ts';
import type { RunningServer } from './http-server.ts';
import type { Log } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * Checks one dependency of the process. Throws or rejects when it is not available. A string that it returns is
 * reported as a detail.
 */
export type HealthCheck = () => unknown;

/** The check of a dependency, under the name that reports and metrics use. */
export interface DependencyCheck {
  name: string;
  check: HealthCheck;
  /** Whether the process is ready only while the check succeeds. */
  required: boolean;
}

/** What `/health/ready` on the health port answers, with `pid` and `parentPid`. */
export interface HealthReport {
  status: 'ok' | 'unavailable';
  /** Name of the check → `ok` or the error message. A check that is not required does not change the status. */
  checks: Record<string, string>;
  /** Name of the check → its detail, such as how full Redis is. */
  details?: Record<string, string>;
}

/** Runs all checks at the same time. A check that takes longer than `timeoutMs` milliseconds has failed. */
export async function checkHealth(checks: DependencyCheck[], timeoutMs = 2_000): Promise<HealthReport> {
  const results = await Promise.all(
    checks.map(async ({ name, check, required }) => ({
      name,
      required,
      ...(await runCheck(check, timeoutMs)),
    })),
  );
  const details = results.flatMap(({ name, detail }) => (detail === undefined ? [] : [[name, detail]]));
  return {
    status: results.every(({ result, required }) => !required || result === 'ok') ? 'ok' : 'unavailable',
    checks: Object.fromEntries(results.map(({ name, result }) => [name, result])),
    ...(details.length > 0 ? { details: Object.fromEntries(details) as Record<string, string> } : {}),
  };
}

async function runCheck(check: HealthCheck, timeoutMs: number): Promise<{ result: string; detail?: string }> {
  try {
    const returned = await withTimeout((async () => check())(), timeoutMs, 'no answer');
    return typeof returned === 'string' ? { result: 'ok', detail: returned } : { result: 'ok' };
  } catch (error) {
    return { result: error instanceof Error ? error.message || error.name : String(error) };
  }
}

const shuttingDown: HealthReport = {
  status: 'unavailable',
  checks: { shutdown: 'the process is shutting down' },
};

/**
 * Serves `GET /health/live` (the process runs), `/health/ready` (everything it needs is available; 503 otherwise) and
 * `/metrics` (Prometheus text format).
 */
export async function serveHealth(options: {
  host: string;
  /** 0 takes any free port. */
  port: number;
  checks: DependencyCheck[];
  metrics: Metrics;
  log: Pick<Log, 'info'>;
  /** Once it has aborted, the process is not ready. */
  shutdown: AbortSignal;
}): Promise<RunningServer> {
  const { registry } = options.metrics;
  const handleRequest: RequestListener = (request, response) => {
    const respond = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const handle = async () => {
      if (request.url === '/health/live') return respond(200, 'application/json', '{"status":"ok"}');
      if (request.url === '/health/ready') {
        const report = options.shutdown.aborted ? shuttingDown : await checkHealth(options.checks);
        // Who answers: another process may have the port.
        const answer = { ...report, pid: process.pid, parentPid: process.ppid };
        return respond(report.status === 'ok' ? 200 : 503, 'application/json', JSON.stringify(answer));
      }
      if (request.url === '/metrics') return respond(200, registry.contentType, await registry.metrics());
      return respond(404, 'application/json', '{"code":"not_found"}');
    };
    handle().catch((error: unknown) => respond(500, 'text/plain', String(error)));
  };
  const server = createServer();
  guardConnections(server, handleRequest, options);
  const running = await listen(server, options.host, options.port);
  return {
    url: running.url,
    close() {
      // The responses to these requests are no longer needed.
      server.closeAllConnections();
      return running.close();
    },
  };
}

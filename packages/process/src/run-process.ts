import { setFlagsFromString } from 'node:v8';
import { SettingsError } from './read-settings.ts';
import { serveHealth } from './health.ts';
import type { DependencyCheck, HealthCheck } from './health.ts';
import { createLogger } from './logger.ts';
import type { Logger } from './logger.ts';
import { measureDependencies } from './measure-dependencies.ts';
import { openMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { noAccessLog, openAccessLog } from './requests/access-log.ts';
import type { AccessLog } from './requests/access-log.ts';
import { noTracing, openTracing } from './tracing/tracing.ts';
import type { Tracing } from './tracing/span.ts';
import type { TracingSettings } from './tracing/tracing.ts';
import { openProcessStatus } from './process-status.ts';
import type { ProcessStatus } from './process-status.ts';

/** What `runProcess` gives to the start function of a process. */
export interface ProcessContext {
  /** The name of the process, such as `webhook-delivery`. */
  service: string;
  log: Logger;
  metrics: Metrics;
  /** Registers something to close at shutdown. The resource that was registered last is closed first. */
  release(name: string, close: () => unknown): void;
  tracing: Tracing;
  /** Of a process that serves HTTP: one line per request, at the level info. */
  accessLog: AccessLog;
  /** Aborts when the shutdown begins. From then on the process is not ready. */
  shutdown: AbortSignal;
  /**
   * Registers the check of a dependency. It decides about readiness, unless `required` is false. The metric
   * `dependency_up` has the result in both cases.
   */
  check(name: string, check: HealthCheck, options?: { required?: boolean }): void;
  /** What the heartbeat of this process reports. */
  status: ProcessStatus;
  /** Shuts the process down and exits with code 1, so that the supervisor restarts it. */
  fail(reason: string, error?: unknown): void;
}

/** The settings that `runProcess` itself needs. */
export interface ProcessSettings extends TracingSettings {
  LOG_LEVEL: string;
  LISTEN_HOST: string;
  HEALTH_PORT: number;
  /** Only of processes that serve HTTP. */
  SHUTDOWN_DELAY_SECONDS?: number;
}

/**
 * How long a graceful shutdown may take before the process exits anyway, in milliseconds, without the delay of
 * SHUTDOWN_DELAY_SECONDS.
 */
const workTimeoutMs = 8_000;

/**
 * By how much the heap may grow after a garbage collection until the next one, in percent of what is in use. V8's own
 * limit follows the memory of the machine, and leaves up to three times as much garbage as there are objects in use.
 */
const heapGrowthPercent = 60;

/**
 * Runs a process: reads its settings, starts it, serves its health and metrics, and shuts it down on SIGTERM or SIGINT.
 * The shutdown is graceful, within a timeout: the process is no longer ready, and then closes what was registered with
 * `release`. A second signal exits at once. Invalid settings and a failed start exit with code 1. After the start, an error that
 * nothing has caught is logged and counted, and the process goes on serving others, unless its memory is in doubt.
 */
export async function runProcess<S extends ProcessSettings>(
  service: string,
  readSettings: () => S,
  start: (settings: S, context: ProcessContext) => Promise<unknown>,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  const settings = readOrExit(service, readSettings);
  const log = createLogger(service, settings.LOG_LEVEL);
  const metrics = openMetrics();
  const status = openProcessStatus(service);
  const shutdown = new AbortController();
  const accessLog = log.isInfoEnabled() ? openAccessLog(service) : noAccessLog;
  let tracing = noTracing;
  const shutdownTimeoutMs = workTimeoutMs + (settings.SHUTDOWN_DELAY_SECONDS ?? 0) * 1_000;
  const releases: { name: string; close: () => unknown }[] = [];
  const checks: DependencyCheck[] = [];
  /** Defined once the shutdown has begun. */
  let exitCode: number | undefined;

  const shutDown = async (code: number) => {
    if (exitCode !== undefined) return void (exitCode = Math.max(exitCode, code));
    exitCode = code;
    log.info('shutting down');
    shutdown.abort(new Error('the process is shutting down'));
    setTimeout(() => {
      log.error('shutdown timed out, exiting now', { timeoutMs: shutdownTimeoutMs });
      process.exit(1);
    }, shutdownTimeoutMs).unref();
    for (const { name, close } of releases.reverse()) {
      try {
        await close();
      } catch (error) {
        log.warn('failed to close', { resource: name, error });
      }
    }
    accessLog.close();
    await tracing.close();
    log.info('stopped');
    process.exit(exitCode);
  };
  const onSignal = () => {
    if (exitCode !== undefined) process.exit(1);
    void shutDown(0);
  };
  const fail = (reason: string, error?: unknown) => {
    log.error(reason, { error });
    void shutDown(1);
  };

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  let started = false;
  const uncaught = metrics.counter('uncaught_errors_total', 'Errors that nothing has caught');
  const onUncaught = (error: unknown) => {
    if (!started || isMemoryInDoubt(error)) return fail('unexpected error', error);
    uncaught.inc();
    log.error('unexpected error; the process goes on', { error });
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);

  try {
    tracing = await openTracing(service, settings, log);
    await start(settings, {
      service,
      log,
      metrics,
      tracing,
      accessLog,
      shutdown: shutdown.signal,
      release: (name, close) => releases.push({ name, close }),
      check: (name, check, { required = true } = {}) => checks.push({ name, check, required }),
      status,
      fail,
    });
    measureDependencies(metrics, checks, status);
    const health = await serveHealth({
      host: settings.LISTEN_HOST,
      port: settings.HEALTH_PORT,
      checks,
      metrics,
      log,
      shutdown: shutdown.signal,
    });
    // Closed last: until the end it reports that the process is not ready.
    releases.unshift({ name: 'health server', close: health.close });
    started = true;
    log.info('started', { health: health.url });
  } catch (error) {
    fail('failed to start', error);
  }
}

/** Codes of errors after which a process may lack memory for anything else. */
const memoryCodes = new Set(['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED', 'ERR_WORKER_OUT_OF_MEMORY']);

/** Whether an error says that memory could not be allocated. V8 itself ends a process whose heap is full. */
function isMemoryInDoubt(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return memoryCodes.has(code) || (error instanceof RangeError && /allocation failed/i.test(error.message));
}

function readOrExit<S>(service: string, readSettings: () => S): S {
  try {
    return readSettings();
  } catch (error) {
    console.error(error instanceof SettingsError ? `${service}: ${error.message}` : error);
    process.exit(1);
  }
}

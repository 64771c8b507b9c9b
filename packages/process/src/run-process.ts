import { createLogger } from './logger.ts';
import type { Logger } from './logger.ts';
import { openMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { serveHealth } from './health.ts';
import type { HealthCheck } from './health.ts';
import { SettingsError } from './environment.ts';

/** What a process starts with. */
export interface ProcessContext {
  log: Logger;
  metrics: Metrics;
  /** Registers what is to be released at the end; the last one registered is released first. */
  release(name: string, close: () => unknown): void;
  /** Registers what must work for the process to be ready. */
  check(name: string, check: HealthCheck): void;
  /** Ends the process with code 1: the supervisor starts it afresh. An end under way takes its time all the same. */
  fail(reason: string, error?: unknown): void;
}

export interface ProcessSettings {
  LOG_LEVEL: string;
  HEALTH_HOST: string;
  HEALTH_PORT: number;
}

/** How long a graceful end may take before the process ends anyway, in milliseconds. */
const shutdownDeadlineMs = 8_000;

/**
 * Runs a service: reads its settings, starts it, serves its health and metrics, and ends it on SIGTERM or
 * SIGINT: gracefully, within a deadline, at once on a second signal. Wrong settings, a failed start and an
 * unhandled error end it with code 1.
 */
export async function runProcess<S extends ProcessSettings>(
  service: string,
  read: () => S,
  start: (settings: S, context: ProcessContext) => Promise<void>,
): Promise<void> {
  const settings = readOrExit(service, read);
  const log = createLogger(service, settings.LOG_LEVEL);
  const metrics = openMetrics(service);
  const releases: { name: string; close: () => unknown }[] = [];
  const checks: Record<string, HealthCheck> = {};
  /** The exit code of the end under way. */
  let ending: number | undefined;

  const end = async (code: number) => {
    if (ending !== undefined) return void (ending = Math.max(ending, code));
    ending = code;
    setTimeout(() => {
      log.error('did not end in time, leaving now', { deadlineMs: shutdownDeadlineMs });
      process.exit(1);
    }, shutdownDeadlineMs).unref();
    for (const { name, close } of releases.reverse()) {
      try {
        await close();
      } catch (error) {
        log.warn('could not be closed', { what: name, error });
      }
    }
    log.info('ended');
    process.exit(ending);
  };
  const endBySignal = () => {
    if (ending !== undefined) process.exit(1);
    void end(0);
  };
  const fail = (reason: string, error?: unknown) => {
    log.error(reason, { error });
    void end(1);
  };

  process.on('SIGTERM', endBySignal);
  process.on('SIGINT', endBySignal);
  process.on('uncaughtException', (error) => fail('unexpected error', error));
  process.on('unhandledRejection', (error) => fail('unexpected error', error));

  try {
    await start(settings, {
      log,
      metrics,
      release: (name, close) => releases.push({ name, close }),
      check: (name, check) => (checks[name] = check),
      fail,
    });
    const health = await serveHealth({
      host: settings.HEALTH_HOST,
      port: settings.HEALTH_PORT,
      checks,
      registry: metrics.registry,
    });
    releases.push({ name: 'health', close: health.close });
    log.info('started', { health: health.url });
  } catch (error) {
    fail('could not start', error);
  }
}

function readOrExit<S>(service: string, read: () => S): S {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof SettingsError ? `${service}: ${error.message}` : error);
    process.exit(1);
  }
}

import { noAccessLog, noTracing, openMetrics, openProcessStatus } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import type { Cleanup } from './cleanup.ts';
import { testLog as log } from './test-log.ts';

/** A process context for tests that start a process's `start` function: what it releases is closed by the cleanup. */
export function testContext(
  service: string,
  cleanup: Cleanup,
  overrides: Partial<ProcessContext> = {},
): ProcessContext {
  return {
    service,
    log,
    metrics: openMetrics(),
    status: openProcessStatus(service),
    release: (_name, close) => cleanup.add(async () => void (await close())),
    tracing: noTracing,
    accessLog: noAccessLog,
    shutdown: new AbortController().signal,
    check() {},
    fail: (reason) => log.error(reason),
    ...overrides,
  };
}

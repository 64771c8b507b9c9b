import { setTimeout } from 'node:timers/promises';
import type { Log } from './logger.ts';

/**
 * Runs a task repeatedly, with a pause of `pauseMs` milliseconds after each run, until it is stopped; `stop` waits for
 * the run in progress. A failed run does not end the repetition. Of consecutive failures only the first is logged.
 */
export function repeat(
  name: string,
  pauseMs: number,
  log: Log,
  task: () => Promise<void>,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let failing = false;
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await task();
        failing = false;
      } catch (error) {
        if (!failing) log.warn('a repeated task failed and will be retried', { task: name, error });
        failing = true;
      }
      await setTimeout(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

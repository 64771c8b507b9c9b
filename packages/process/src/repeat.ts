import { setTimeout } from 'node:timers/promises';
import type { Logger } from './logger.ts';

/**
 * Runs a task again and again, with a pause in milliseconds between two runs, until stopped; stopping waits for
 * the run under way. A run that fails is logged once per row of failures and does not end the repetition.
 */
export function repeat(
  name: string,
  pauseMs: number,
  log: Logger,
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
        if (!failing) log.warn('a repeated task failed and will be tried again', { task: name, error });
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

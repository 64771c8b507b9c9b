import { setTimeout } from 'node:timers/promises';
import type { Exit, RunningProcess } from './start-process.ts';

/** A process that is restarted when it ends. */
export interface Supervised {
  name: string;
  /** Undefined while it is down. */
  pid(): number | undefined;
  /** How often it was restarted. */
  restarts(): number;
  /** Sends it a signal, unless it is down. */
  kill(signal: NodeJS.Signals): void;
  /** Stops it without a restart: gracefully until the deadline in milliseconds, then with SIGKILL. */
  stop(deadlineMs: number): Promise<void>;
}

/** A change of a supervised process: it was started (its pid), it ended, or a start failed. */
export interface ProcessChange {
  name: string;
  started?: number;
  exit?: Exit;
  failed?: unknown;
}

export interface SuperviseOptions {
  name: string;
  start: () => Promise<RunningProcess>;
  onChange?: (change: ProcessChange) => void;
  /** Longest pause before a restart, in milliseconds; default 5,000. */
  longestPauseMs?: number;
}

const shortestPauseMs = 100;
const steadyAfterMs = 10_000;

/**
 * Starts a process and restarts it whenever it ends, the first time at once and then with a growing pause.
 * @throws when the first start fails
 */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  const { name, onChange = () => undefined, longestPauseMs = 5_000 } = options;
  const stopping = new AbortController();
  let running: RunningProcess | undefined = await options.start();
  let restarts = 0;
  onChange({ name, started: running.pid });

  const keepRunning = async () => {
    let pauseMs = shortestPauseMs;
    let since = performance.now();
    while (!stopping.signal.aborted) {
      if (running) {
        const exit = await running.exited;
        running = undefined;
        if (stopping.signal.aborted) return;
        onChange({ name, exit });
        if (performance.now() - since > steadyAfterMs) pauseMs = shortestPauseMs;
      }
      await setTimeout(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      since = performance.now();
      try {
        running = await options.start();
        restarts++;
        onChange({ name, started: running.pid });
      } catch (failed) {
        onChange({ name, failed });
      }
    }
  };
  const kept = keepRunning();

  return {
    name,
    pid: () => running?.pid,
    restarts: () => restarts,
    kill: (signal) => running?.kill(signal),
    async stop(deadlineMs) {
      stopping.abort();
      await running?.stop(deadlineMs);
      await kept;
      // A restart may have been in progress when `stop` was called.
      await running?.stop(deadlineMs);
    },
  };
}

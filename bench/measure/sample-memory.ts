import { setTimeout } from 'node:timers/promises';
import type { Stack } from '@rewardhook/local-stack';
import { memoryMb } from './process-usage.ts';

/** The memory of every process of a stack while something runs. */
export interface MemorySamples {
  /** The greatest resident memory of each process since the start, in MB. */
  peaks(): Record<string, number>;
  stop(): Promise<void>;
}

/** Reads the memory of every process repeatedly. */
export function sampleMemory(stack: Stack, everyMs = 1_000): MemorySamples {
  const peaks: Record<string, number> = {};
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      for (const { name, pid } of stack.processes()) peaks[name] = Math.max(peaks[name] ?? 0, memoryMb(pid));
      await setTimeout(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    peaks: () => ({ ...peaks }),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

import { checkDurability } from './durability.ts';
import { connectProducer, connectWorker, disconnect } from './redis.ts';
import { describeMemory, readMemory } from './redis-memory.ts';
import type { Log, Redis } from './redis.ts';

/** What a process gives its parts: a log, a place to register what is released at the end, and readiness checks. */
export interface PartContext {
  log: Log;
  release(name: string, close: () => unknown): void;
  check(name: string, check: () => unknown): void;
}

/**
 * Opens the two connections of a worker process: one to take jobs with, which waits for Redis for ever, and one to
 * queue jobs for the next stage with, which fails at once. Looks once whether this Redis keeps what it acknowledges.
 */
export function connectStage(url: string, context: PartContext): { working: Redis; producing: Redis } {
  const { log, release, check } = context;
  const producing = connectProducer(url, log);
  release('redis (producer)', () => disconnect(producing));
  const working = connectWorker(url, log);
  release('redis (worker)', () => disconnect(working));
  check('redis', async () => describeMemory(await readMemory(working)));
  working.once('ready', () => {
    checkDurability(working, log).catch((error: unknown) =>
      log.warn('Redis could not be looked at', { error }),
    );
  });
  return { working, producing };
}

import type { Log } from '@rewardhook/process';
import type { Redis } from './redis.ts';

const requiredSettings = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
} as const;

/** What is missing for Redis to keep every acknowledged write, as sentences. */
export interface Durability {
  /** Settings with another value than the required one. */
  wrong: string[];
  /** Settings that could not be read: a managed service may hide them. */
  unknown: string[];
}

/**
 * Checks that Redis persists every acknowledged write. Logs a warning when it does not, or when it cannot be checked.
 */
export async function checkDurability(redis: Redis, log: Log): Promise<Durability> {
  const durability: Durability = { wrong: [], unknown: [] };
  for (const [name, required] of Object.entries(requiredSettings)) {
    const answer = await redis.config('GET', name).catch(() => undefined);
    const actual = Array.isArray(answer) ? String(answer[1]) : undefined;
    if (actual === undefined)
      durability.unknown.push(`${name} could not be read; make sure that it is ${required}`);
    else if (actual !== required) durability.wrong.push(`${name} is ${actual}, it must be ${required}`);
  }
  if (durability.wrong.length > 0)
    log.warn('ACCEPTED ORDERS CAN BE LOST: this Redis does not persist every acknowledged write', {
      problems: durability.wrong,
    });
  if (durability.unknown.length > 0)
    log.warn('it is unknown whether this Redis persists every acknowledged write', { ...durability });
  return durability;
}

/** Checks the durability of Redis once, when the connection is ready. */
export function checkDurabilityWhenReady(redis: Redis, log: Log): void {
  redis.once('ready', () => {
    checkDurability(redis, log).catch((error: unknown) =>
      log.warn('the durability of Redis could not be checked', { error }),
    );
  });
}

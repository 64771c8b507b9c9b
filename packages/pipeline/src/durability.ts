import type { Log } from '@rewardhook/process';
import { mastersOf } from './redis.ts';
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
 * Checks that Redis, and every master of a cluster, persists every acknowledged write. Logs a warning when one does not,
 * or when it cannot be checked, because the ACL user or a managed service does not allow CONFIG.
 */
export async function checkDurability(redis: Redis, log: Log): Promise<Durability> {
  const durability: Durability = { wrong: [], unknown: [] };
  const masters = mastersOf(redis);
  for (const master of masters) {
    const where = masters.length > 1 ? ` on ${master.options.host}:${master.options.port}` : '';
    for (const [name, required] of Object.entries(requiredSettings)) {
      const answer: unknown = await master.config('GET', name).catch((error: unknown) => error);
      const actual = Array.isArray(answer) ? (answer[1] as unknown) : undefined;
      if (typeof actual !== 'string') {
        const why = answer instanceof Error ? ` (${answer.message})` : '';
        durability.unknown.push(`${name} could not be read${where}; make sure that it is ${required}${why}`);
      } else if (actual !== required)
        durability.wrong.push(`${name} is ${actual}${where}, it must be ${required}`);
    }
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

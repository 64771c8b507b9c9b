import type { Log, Redis } from './redis.ts';

const wanted = { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' } as const;

/** What falls short of keeping everything, as sentences. */
export interface Durability {
  /** Settings that are wrong. */
  wrong: string[];
  /** Settings that could not be read: a managed service may hide them. */
  unknown: string[];
}

/** Looks at whether this Redis keeps what it acknowledged, and warns loudly when not, or when it cannot be told. */
export async function checkDurability(redis: Redis, log: Log): Promise<Durability> {
  const found: Durability = { wrong: [], unknown: [] };
  for (const [name, value] of Object.entries(wanted)) {
    const answer = await redis.config('GET', name).catch(() => undefined);
    const actual = Array.isArray(answer) ? String(answer[1]) : undefined;
    if (actual === undefined) found.unknown.push(`${name} could not be read; make sure that it is ${value}`);
    else if (actual !== value) found.wrong.push(`${name} is ${actual}, it must be ${value}`);
  }
  if (found.wrong.length > 0)
    log.warn('ACCEPTED ORDERS CAN BE LOST: this Redis does not keep what it acknowledges', {
      problems: found.wrong,
    });
  if (found.unknown.length > 0)
    log.warn('it is not known whether this Redis keeps what it acknowledges', { ...found });
  return found;
}

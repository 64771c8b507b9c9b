import type { Log, Redis } from './redis.ts';

const wanted = { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' } as const;

/**
 * Looks at whether this Redis keeps what it acknowledged, and warns loudly when not. Returns the settings
 * that fall short, as sentences. A service that hides its configuration cannot be judged; that is said too.
 */
export async function checkDurability(redis: Redis, log: Log): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const answer = await redis.config('GET', name).catch(() => undefined);
    const actual = Array.isArray(answer) ? String(answer[1]) : undefined;
    if (actual === undefined) problems.push(`${name} could not be read; make sure that it is ${value}`);
    else if (actual !== value) problems.push(`${name} is ${actual}, it must be ${value}`);
  }
  if (problems.length > 0)
    log.warn('ACCEPTED ORDERS CAN BE LOST: this Redis may not keep what it acknowledged', { problems });
  return problems;
}

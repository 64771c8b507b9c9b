import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Logger } from '@rewardhook/process';

/** Counts a refused call of a stranger. False when it is not to be recorded in the audit. */
export type MayRecordRefusal = () => Promise<boolean>;

/** Refused calls of strangers that a process records within a minute. */
export const maxRefusalsPerMinute = 120;

/**
 * Limits the entries that strangers can cause without changing anything, which are wrong passwords. Beyond the limit the
 * log says once a minute that there are more, and has a line for each of them anyway.
 */
export function limitRefusals(log: Logger): MayRecordRefusal {
  const limiter = new RateLimiterMemory({ points: maxRefusalsPerMinute, duration: 60 });
  const warnings = new RateLimiterMemory({ points: 1, duration: 60 });
  const take = (limit: RateLimiterMemory) =>
    limit.consume('all').then(
      () => true,
      () => false,
    );
  return async () => {
    const allowed = await take(limiter);
    if (!allowed && (await take(warnings)))
      log.warn('more calls were refused than the audit records', { maxPerMinute: maxRefusalsPerMinute });
    return allowed;
  };
}

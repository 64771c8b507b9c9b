import type { RateLimits } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** Counts a call of a stranger. False when it is not to be recorded in the audit. */
export type MayRecordStranger = () => Promise<boolean>;

/** Two a second on average, and 120 at once, over all processes. */
const entries = { name: 'stranger_entries', perSecond: 2, burst: 120 };
const warnings = { name: 'stranger_entry_warnings', perSecond: 1 / 60, burst: 1 };

/**
 * Limits the entries that strangers can cause: wrong passwords, and requests for mails to sign up or to reset a password.
 * Beyond the limit the calls are handled all the same, and each has its access line; the log says once a minute that the
 * audit does not have all of them.
 */
export function limitStrangerEntries(rateLimits: RateLimits, log: Logger): MayRecordStranger {
  return async () => {
    const { allowed } = await rateLimits.charge(entries, 'all');
    if (!allowed && (await rateLimits.charge(warnings, 'all')).allowed)
      log.warn('strangers make more calls than the audit records', { maxPerSecond: entries.perSecond });
    return allowed;
  };
}

import type { OpenRateLimit } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** Counts a call of a stranger. False when it is not to be recorded in the audit. */
export type MayRecordStranger = () => Promise<boolean>;

/** Over all processes. */
const maxPerMinute = 120;

/**
 * Limits the entries that strangers can cause: wrong passwords, and requests for mails to sign up or to reset a password.
 * Beyond the limit the calls are handled all the same, and each has its access line; the log says once a minute that the
 * audit does not have all of them.
 */
export function limitStrangerEntries(openRateLimit: OpenRateLimit, log: Logger): MayRecordStranger {
  const entries = openRateLimit({ name: 'stranger_entries', points: maxPerMinute, seconds: 60 });
  const warnings = openRateLimit({ name: 'stranger_entry_warnings', points: 1, seconds: 60 });
  return async () => {
    const { allowed } = await entries.count('all');
    if (!allowed && (await warnings.count('all')).allowed)
      log.warn('strangers make more calls than the audit records', { maxPerMinute });
    return allowed;
  };
}

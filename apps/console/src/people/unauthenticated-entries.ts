import type { OpenRateLimit } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** Counts a call of somebody who is not signed in. False when it is not to be recorded in the audit. */
export type MayRecordUnauthenticated = () => Promise<boolean>;

/** Over all processes. */
const maxPerMinute = 120;

/**
 * Limits the entries that callers who are not signed in can cause: wrong passwords, and requests for mails to sign up or to reset a password.
 * Beyond the limit the calls are handled all the same, and each has its access line; the log says once a minute that the
 * audit does not have all of them.
 */
export function limitUnauthenticatedEntries(
  openRateLimit: OpenRateLimit,
  log: Logger,
): MayRecordUnauthenticated {
  const entries = openRateLimit({ name: 'unauthenticated_entries', points: maxPerMinute, seconds: 60 });
  const warnings = openRateLimit({ name: 'unauthenticated_entry_warnings', points: 1, seconds: 60 });
  return async () => {
    const { allowed } = await entries.count('all');
    if (!allowed && (await warnings.count('all')).allowed)
      log.warn('callers that are not signed in make more calls than the audit records', { maxPerMinute });
    return allowed;
  };
}

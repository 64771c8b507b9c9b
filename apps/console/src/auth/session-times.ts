import type { SessionTimes } from '@rewardhook/database';

/** A session ends after 12 hours without a request, and after 30 days at the latest. */
export const sessionTimes: SessionTimes = { idleSeconds: 12 * 3_600, maxSeconds: 30 * 86_400 };

import type { AttemptRecord } from '@rewardhook/database/stages';
import { logRequests } from '@rewardhook/process';
import type { Logger, RequestTrace } from '@rewardhook/process';

/** Logs attempts that were recorded together, with the ids of the requests that caused their events. */
export function logAttempts(log: Logger, attempts: AttemptRecord[], requests: RequestTrace[]): void {
  const delivered = attempts.filter(({ state }) => state === 'delivered').length;
  logRequests(log, 'webhooks sent', { attempts: attempts.length, delivered }, requests);
}

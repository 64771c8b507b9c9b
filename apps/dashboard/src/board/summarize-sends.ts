import type { AppJob } from '@bull-board/api/typings/app';
import { isOwnId } from '../redaction/stage-fields.ts';

/**
 * What a finished job of `webhook-delivery` that delivered nothing says behind its name. The board shows it as completed: it did its
 * work, and the deliveries are retried by their rows. Undefined for every other job.
 */
export function summarizeSends(result: unknown): string | undefined {
  const { attempts, delivered, breakerOpen } = (result ?? {}) as Record<string, unknown>;
  if (typeof attempts !== 'number' || attempts === 0 || delivered !== 0) return undefined;
  return `0 of ${attempts} delivered${breakerOpen === true ? ', breaker open' : ''}`;
}

/** The page of the console for the webhook of a job; that of all webhooks when the job names none. */
export function linkToWebhook(consoleUrl: string, data: unknown): NonNullable<AppJob['externalUrl']> {
  const { merchantId, endpointId } = (data ?? {}) as Record<string, unknown>;
  const side = typeof merchantId === 'string' && merchantId.startsWith('mer_test_') ? '/test' : '';
  const page = isOwnId(endpointId) ? `/webhooks/${endpointId}` : '/webhooks';
  return { displayText: 'Webhook in the console', href: consoleUrl + side + page };
}

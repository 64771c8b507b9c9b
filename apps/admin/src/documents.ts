import { describeDisabledReason } from '@rewardhook/contract';
import type { DisabledReason } from '@rewardhook/contract';

/*
 * Stored rows as commands print them. Scripts of operators read these keys, so they stay when a column is renamed.
 */

/** A merchant: `noticesNextAt` is when its next digest may be mailed, `testedAt` when its last ping was sent. */
export function toMerchantDocument<Row extends { nextDigestAt: Date; lastPingAt: Date | null }>(row: Row) {
  const { nextDigestAt, lastPingAt, ...merchant } = row;
  return { ...merchant, noticesNextAt: nextDigestAt, testedAt: lastPingAt };
}

/** A webhook: `disabledReason` is a text, `drainPerSecond` the limit of deliveries while its breaker is half-open. */
export function toWebhookDocument<Row extends { rampPerSecond: number | null; disabledReason: unknown }>(
  row: Row,
) {
  const { rampPerSecond, disabledReason, ...webhook } = row;
  const reason = disabledReason as DisabledReason | null;
  return {
    ...webhook,
    drainPerSecond: rampPerSecond,
    disabledReason: reason && describeDisabledReason(reason),
  };
}

/** A referral: `ordersMarkedAt` is when the referee's earlier orders were enqueued for evaluation. */
export function toReferralDocument<Row extends { ordersEnqueuedAt: Date | null; mergedIds?: string[] }>(
  row: Row,
) {
  const { ordersEnqueuedAt, mergedIds: _mergedIds, ...referral } = row;
  return { ...referral, ordersMarkedAt: ordersEnqueuedAt };
}

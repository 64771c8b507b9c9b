import { describeDisabledReason } from '@rewardhook/contract';
import type { DisabledReason } from '@rewardhook/contract';

/* Stored rows as commands print them. Scripts of operators read these keys. */

/** A webhook: `disabledReason` is a text. What PostgreSQL computes from other columns is left out. */
export function toWebhookDocument<
  Row extends { disabledReason: unknown; sendable?: boolean; holdsDeliveries?: boolean },
>(row: Row) {
  const { disabledReason, sendable: _sendable, holdsDeliveries: _holds, ...webhook } = row;
  const reason = disabledReason as DisabledReason | null;
  return { ...webhook, disabledReason: reason && describeDisabledReason(reason) };
}

/** A referral, without the ids of those that ended. */
export function toReferralDocument<Row extends { mergedIds?: string[] }>(row: Row) {
  const { mergedIds: _mergedIds, ...referral } = row;
  return referral;
}

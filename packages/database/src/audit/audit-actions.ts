/**
 * What the audit records: every change that a user of the console or an operator can make, the reading of secrets and
 * exports, and what a process changes on its own. The part before the dot is the kind of the subject. Names are stable:
 * stored entries, filters of the console and scripts of operators contain them.
 */
export const auditActions = [
  'api_key.created',
  'api_key.revoked',
  'delivery.retried',
  'evaluation.retried',
  'identity_secret.revealed',
  'invitation.accepted',
  'invitation.created',
  'invitation.revoked',
  'member.erased',
  'member.exported',
  'merchant.changed',
  'merchant.contact_confirmation_sent',
  'merchant.contact_confirmed',
  'merchant.created',
  'merchant.limits_changed',
  'merchant.linking_changed',
  'merchant.paused',
  'merchant.resumed',
  'origin.verified',
  'problem.acknowledged',
  'program.published',
  'queue.changed',
  'referral.accepted',
  'referral.created',
  'referral.exported',
  'referral.rejected',
  'replay.cancelled',
  'replay.created',
  'replay.paused',
  'replay.resumed',
  'reward.exported',
  'rows.pruned',
  'sample.created',
  'sample.hold_ended',
  'secrets.rotated',
  'signing_key.created',
  'signing_key.deleted',
  'signing_key.revealed',
  'test_data.wiped',
  'user.merchant_selected',
  'user.password_changed',
  'user.password_reset',
  'user.password_reset_requested',
  'user.removed',
  'user.role_changed',
  'user.sign_up_requested',
  'user.signed_in',
  'user.signed_out',
  'user.signed_up',
  'user.unlocked',
  'webhook.certified',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.enabled',
  'webhook.paused',
  'webhook.resumed',
  'webhook.tested',
] as const;

/**
 * Actions that change nothing in PostgreSQL, or in steps of which none is the change: they read a secret, use Redis, or may
 * find that all is done. Their entries are written when they have ended.
 */
export const actionsWithoutTransaction: ReadonlySet<AuditAction> = new Set([
  'identity_secret.revealed',
  'member.exported',
  'queue.changed',
  'rows.pruned',
  'secrets.rotated',
  'signing_key.revealed',
  'user.unlocked',
  'webhook.certified',
]);

export type AuditAction = (typeof auditActions)[number];

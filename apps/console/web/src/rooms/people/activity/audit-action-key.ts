import type { AuditAction } from '../../../data/types.ts';

/** An action as the key of its text: `webhook.created` is `webhook_created`. */
export type AuditActionKey<Action = AuditAction> = Action extends `${infer Kind}.${infer Change}`
  ? `${Kind}_${Change}`
  : never;

export const auditActionKey = (action: AuditAction) => action.replace('.', '_') as AuditActionKey;

import Joi from 'joi';
import { hasRight } from '@rewardhook/contract/rights';
import { dateTimeField, modeOf, pageFields, textField } from '@rewardhook/contract';
import { auditActions, auditActorKinds, findAuditFilters, listAuditPage } from '@rewardhook/database';
import type { AuditAction, AuditActorKind, AuditRow } from '@rewardhook/database';
import type { AuditEntryView } from '../api-types.ts';
import type { Session } from '../account/sessions.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Handlers } from '../http/route.ts';

/** The kinds whose names merchants see, and can search for. */
const namedKinds: readonly AuditActorKind[] = ['user', 'api_key'];

/** What users do with their own accounts and sessions. Only owners see it, and the addresses of browsers. */
const signIns: readonly AuditAction[] = [
  'user.merchant_selected',
  'user.password_changed',
  'user.password_entered',
  'user.password_reset',
  'user.password_reset_requested',
  'user.sign_up_requested',
  'user.signed_in',
  'user.signed_out',
  'user.signed_up',
];

const seesAll = ({ role }: Session): boolean => hasRight(role, 'manage');

export const auditHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /audit': {
      input: {
        actor: textField(255),
        actor_kind: Joi.string().valid(...auditActorKinds),
        action: Joi.string().valid(...auditActions),
        from: dateTimeField(),
        until: dateTimeField(),
        ...pageFields,
      },
      async handle({ session, merchantId, input: { after, limit, actor_kind: kind, ...rest } }) {
        const kinds: readonly AuditActorKind[] = rest.actor === undefined ? auditActorKinds : namedKinds;
        const actorKinds = kinds.filter((one) => kind === undefined || one === kind);
        const all = seesAll(session);
        const search = { ...rest, merchantId, actorKinds, exceptActions: all ? undefined : signIns };
        const { items, next } = await listAuditPage(database, search, { after, limit });
        const entries = items.map(toAuditEntryView);
        return { items: all ? entries : entries.map((entry) => ({ ...entry, address: null })), next };
      },
    },

    'GET /audit/filters': ({ session, merchantId }) =>
      findAuditFilters(database, merchantId, seesAll(session) ? [] : signIns),
  }) satisfies Partial<Handlers>;

/**
 * Details that are for operators only. Entries never change: those from before a pause had its contact show neither.
 */
const detailsOfOperators: Partial<Record<AuditAction, string[]>> = { 'merchant.paused': ['reason'] };

/** An entry as its merchant sees it: without the names and hosts of operators and processes, and without what is for them. */
function toAuditEntryView(row: AuditRow): AuditEntryView {
  const hidden = detailsOfOperators[row.action] ?? [];
  const isOurs = row.actor_kind === 'operator' || row.actor_kind === 'system';
  return {
    id: row.id,
    at: row.at,
    actor_kind: row.actor_kind,
    actor: isOurs ? null : row.actor_name,
    action: row.action,
    mode: modeOf(row.merchant_id ?? ''),
    outcome: row.outcome,
    subject_id: row.subject_id,
    subject_email: row.subject_email,
    subject_merge: row.subject_merge,
    address: isOurs ? null : row.address,
    request_id: row.request_id,
    details: Object.fromEntries(Object.entries(row.details).filter(([name]) => !hidden.includes(name))),
  };
}

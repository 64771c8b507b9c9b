import Joi from 'joi';
import { dateTimeField, modeOf, pageFields, textField } from '@rewardhook/contract';
import { auditActions, auditActorKinds, findAuditFilters, listAuditPage } from '@rewardhook/database';
import type { AuditAction, AuditActorKind, AuditRow } from '@rewardhook/database';
import type { AuditEntryView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Handlers } from '../http/route.ts';

/** The kinds whose names merchants see, and can search for. */
const namedKinds: readonly AuditActorKind[] = ['user', 'api_key'];

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
      async handle({ merchantId, input: { after, limit, actor_kind: kind, ...rest } }) {
        const kinds: readonly AuditActorKind[] = rest.actor === undefined ? auditActorKinds : namedKinds;
        const actorKinds = kinds.filter((one) => kind === undefined || one === kind);
        const search = { ...rest, merchantId, actorKinds };
        const { items, next } = await listAuditPage(database, search, { after, limit });
        return { items: items.map(toAuditEntryView), next };
      },
    },

    'GET /audit/filters': ({ merchantId }) => findAuditFilters(database, merchantId),
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

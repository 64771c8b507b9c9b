import Joi from 'joi';
import { dateTimeField, modeOf, pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { auditActions, auditActorKinds, findAuditFilters, listAuditPage } from '@rewardhook/database';
import type { AuditAction, AuditActorKind, AuditRow } from '@rewardhook/database';
import type { AuditEntryView, AuditFilters, AuditPage } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { route } from '../http/route.ts';

interface Query extends PageQuery {
  actor?: string;
  actor_kind?: AuditActorKind;
  action?: AuditAction;
  from?: string;
  until?: string;
}

const query = Joi.object<Query>({
  actor: textField(255),
  actor_kind: Joi.string().valid(...auditActorKinds),
  action: Joi.string().valid(...auditActions),
  from: dateTimeField(),
  until: dateTimeField(),
  ...pageFields,
});

/** The kinds whose names merchants see, and can search for. */
const namedKinds: readonly AuditActorKind[] = ['user', 'api_key'];

/** GET /audit */
export const showAudit = ({ database }: ConsoleDependencies) =>
  route<undefined, Query>(
    'owner',
    'GET',
    '/audit',
    async ({ merchantId, query: { after, limit, actor_kind: kind, ...rest } }): Promise<AuditPage> => {
      const kinds: readonly AuditActorKind[] = rest.actor === undefined ? auditActorKinds : namedKinds;
      const actorKinds = kinds.filter((one) => kind === undefined || one === kind);
      const search = { ...rest, merchantId, actorKinds };
      const { items, next } = await listAuditPage(database, search, { after, limit });
      return { items: items.map(toAuditEntryView), next };
    },
    { query },
  );

/** GET /audit/filters */
export const showAuditFilters = ({ database }: ConsoleDependencies) =>
  route('owner', 'GET', '/audit/filters', ({ merchantId }): Promise<AuditFilters> =>
    findAuditFilters(database, merchantId),
  );

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

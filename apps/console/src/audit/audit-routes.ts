import Joi from 'joi';
import { dateTimeField, modeOf, pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { auditActions, findAuditFilters, listAuditPage } from '@rewardhook/database';
import type { AuditAction, AuditRow } from '@rewardhook/database';
import type { AuditEntryView, AuditFilters, AuditPage } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { route } from '../http/route.ts';

interface Query extends PageQuery {
  actor?: string;
  action?: AuditAction;
  from?: Date;
  until?: Date;
}

const query = Joi.object<Query>({
  actor: textField(255),
  action: Joi.string().valid(...auditActions),
  from: dateTimeField(),
  until: dateTimeField(),
  ...pageFields,
});

/** GET /audit */
export const showAudit = ({ database }: ConsoleDependencies) =>
  route<undefined, Query>(
    'owner',
    'GET',
    '/audit',
    async ({ merchantId, query: { after, limit, ...search } }): Promise<AuditPage> => {
      const { items, next } = await listAuditPage(database, { merchantId, ...search }, { after, limit });
      return { items: items.map(toAuditEntryView), next };
    },
    { query },
  );

/** GET /audit/filters */
export const showAuditFilters = ({ database }: ConsoleDependencies) =>
  route('owner', 'GET', '/audit/filters', ({ merchantId }): Promise<AuditFilters> =>
    findAuditFilters(database, merchantId),
  );

/** An entry as its merchant sees it: without the names and hosts of operators and processes. */
function toAuditEntryView(row: AuditRow): AuditEntryView {
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
    address: isOurs ? null : row.address,
    request_id: row.request_id,
    details: row.details,
  };
}

import type { AuditAction } from '../audit/audit-actions.ts';
import type { AuditDetails } from '../audit/audit-entries.ts';
import type { Sql } from '../client/client.ts';
import { listIdsOf } from '../merchants/wipe.ts';
import type { AuditActorKind, AuditOutcome } from '../states.ts';
import { listPage, openConditions } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** An entry of the audit. `at` is ISO 8601 in UTC. */
export interface AuditRow {
  id: string;
  at: string;
  merchant_id: string | null;
  actor_kind: AuditActorKind;
  actor_id: string | null;
  /** The e-mail address of a user, or the name of an API key, operator or process. */
  actor_name: string | null;
  action: AuditAction;
  outcome: AuditOutcome;
  subject_kind: string;
  subject_id: string | null;
  /** The e-mail address of the user, or of the invitation, that the entry is about. */
  subject_email: string | null;
  /** Of `member.merged`: the member who was merged or renamed, and the one who survived; null for other actions, and once one was erased. */
  subject_merge: { from_member_id: string; into_member_id: string } | null;
  address: string | null;
  request_id: string | null;
  details: AuditDetails;
}

/** Which entries to list. An omitted field selects all. */
export interface AuditSearch {
  merchantId?: string | undefined;
  /** The id or e-mail address of a user, the id or name of an API key, or the name of an operator or process. */
  actor?: string | undefined;
  /** The kinds of actors. */
  actorKinds?: AuditActorKind[] | undefined;
  action?: string | undefined;
  /** Actions whose entries are left out. */
  exceptActions?: readonly AuditAction[] | undefined;
  requestId?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

const columns = `id, rules.iso_utc(at) AS at, merchant_id, actor_kind, actor_id, actor_name, action, outcome,
  subject_kind, subject_id, address, request_id, details,
  CASE subject_kind
    WHEN 'user' THEN (SELECT email FROM users WHERE users.id = subject_id)
    WHEN 'invitation' THEN (
      SELECT email FROM invitations i WHERE i.merchant_id = audit_entries.merchant_id AND i.id = subject_id)
  END AS subject_email,
  CASE action WHEN 'member.merged' THEN (
    SELECT json_build_object('from_member_id', alias_id, 'into_member_id', result->>'memberId') FROM member_aliases a
    WHERE a.merchant_id = audit_entries.merchant_id AND a.id = subject_id)
  END AS subject_merge`;

/** A page of the audit, newest first. Without a merchant it lists the entries of all, for operators. @throws CursorError */
export async function listAuditPage(
  database: Sql,
  { merchantId, actor, actorKinds, action, exceptActions, requestId, from: start, until }: AuditSearch,
  page: PageRequest,
): Promise<ListPage<AuditRow>> {
  const conditions = openConditions();
  if (merchantId !== undefined) {
    const [id, ...former] = await listIdsOf(database, merchantId);
    if (former.length === 0) conditions.add('merchant_id = ?', id);
    else conditions.add('merchant_id = ANY(?)', [id, ...former]);
  }
  conditions.add('(actor_id = ? OR actor_name = ?)', actor);
  conditions.add('actor_kind = ANY(?)', actorKinds);
  conditions.add('action = ?', action);
  conditions.add('action <> ALL(?)', exceptActions);
  conditions.add('request_id = ?', requestId);
  conditions.add('at >= ?', start);
  conditions.add('at < ?', until);
  const { sql, values } = conditions;
  const from = `FROM audit_entries WHERE true${sql}`;
  return listPage(database, { columns, from, values, time: 'audit_entries.at', id: 'id' }, page);
}

/** An actor of a merchant's entries. The name is that of a user or an API key; null for the other kinds. */
export interface AuditActorRow {
  kind: AuditActorKind;
  name: string | null;
}

/** What a merchant's entries contain, to choose from: actors and actions, without the entries of some actions. */
export async function findAuditFilters(
  database: Sql,
  merchantId: string,
  exceptActions: readonly AuditAction[],
): Promise<{ actors: AuditActorRow[]; actions: AuditAction[] }> {
  const ids = await listIdsOf(database, merchantId);
  const [actors, actions] = await Promise.all([
    database.query<AuditActorRow>(
      `SELECT DISTINCT actor_kind AS kind, CASE WHEN actor_kind IN ('user', 'api_key') THEN actor_name END AS name
       FROM audit_entries WHERE merchant_id = ANY($1) AND action <> ALL($2)`,
      [ids, exceptActions],
    ),
    database.query<{ action: AuditAction }>(
      'SELECT DISTINCT action FROM audit_entries WHERE merchant_id = ANY($1) AND action <> ALL($2)',
      [ids, exceptActions],
    ),
  ]);
  return { actors, actions: actions.map(({ action }) => action) };
}

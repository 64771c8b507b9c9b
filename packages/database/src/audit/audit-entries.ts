import { hostname } from 'node:os';
import { newId } from '@rewardhook/contract';
import type { Queryable, Transaction } from '../client/client.ts';
import type { AuditAction } from './audit-actions.ts';

/** Who caused an entry. `unknown` is a person without a session, such as one who tries a password. */
export type AuditActor =
  | { kind: 'user'; id: string; email: string }
  /** A program of the merchant. The entry gets the name of the key at that time. */
  | { kind: 'api_key'; id: string }
  /** `name` is what the operator is called on their machine, or calls themselves. */
  | { kind: 'operator'; name: string }
  /** A process that acted on its own. */
  | { kind: 'system'; name: string }
  | { kind: 'unknown' };

/** Parameters of an action as JSON: codes, numbers, and values that are neither secret nor personal. */
export type AuditDetails = Record<string, unknown>;

/** An entry of the audit. */
export interface AuditEntry {
  action: AuditAction;
  /** `refused` entries exist for passwords only: see docs/decisions/045-changes-by-people.md. */
  outcome: 'done' | 'refused';
  actor: AuditActor;
  /** Null for what concerns no merchant or all of them. */
  merchantId: string | null;
  /** The id of what was changed; its kind is the part of the action before the dot. Never the id of a member: of a merge, its own. */
  subjectId: string | null;
  /** The address of the client, or the host that a command or process ran on. */
  address: string | null;
  requestId: string | null;
  details: AuditDetails;
}

/**
 * An entry about a user that names no merchant gets the user's first one, so that its owners see it; that is part of the
 * statement, so that an unknown user takes the same time.
 */
const insertEntrySql = `
  INSERT INTO audit_entries (id, merchant_id, actor_kind, actor_id, actor_name, action, outcome, subject_kind,
    subject_id, address, request_id, details)
  VALUES ($1,
    coalesce($2, (SELECT merchant_id FROM memberships WHERE $8 = 'user' AND user_id = $9
      ORDER BY created_at, merchant_id LIMIT 1)),
    $3, $4,
    CASE WHEN $3 = 'api_key' THEN (SELECT name FROM api_keys WHERE merchant_id = $2 AND id = $4) ELSE $5 END,
    $6, $7, $8, $9, $10, $11, $12::jsonb)
  ON CONFLICT DO NOTHING`;

/** Inserts an entry. False when there is one with this id already. */
export async function insertAuditEntry(
  tx: Queryable | Transaction,
  entry: AuditEntry,
  id: string = newId('aud'),
): Promise<boolean> {
  const { action, outcome, actor, merchantId, subjectId, address, requestId, details } = entry;
  const [subjectKind] = action.split('.');
  const values = [
    id,
    merchantId,
    actor.kind,
    'id' in actor ? actor.id : null,
    actor.kind === 'user' ? actor.email : 'name' in actor ? actor.name : null,
    action,
    outcome,
    subjectKind,
    subjectId,
    address,
    requestId,
    JSON.stringify(details),
  ];
  // A transaction of Prisma inherits `execute`, which would run on the pool.
  const inserted =
    '$executeRawUnsafe' in tx
      ? await tx.$executeRawUnsafe(insertEntrySql, ...values)
      : await tx.execute(insertEntrySql, values);
  return inserted === 1;
}

/** An entry about something that a process did on its own, on this host. */
export function systemEntry(
  name: string,
  entry: Pick<AuditEntry, 'action' | 'merchantId' | 'subjectId' | 'details'>,
): AuditEntry {
  return {
    ...entry,
    outcome: 'done',
    actor: { kind: 'system', name },
    address: hostname(),
    requestId: null,
  };
}

/**
 * Deletes the oldest entries that are older than the given number of days, at most `limit` of them, and returns how many.
 * PostgreSQL refuses every other deletion, and that of entries of the last 30 days.
 */
export async function pruneAuditEntries(
  database: Queryable,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const [pruned] = await database.query<{ count: number }>(
    'SELECT rules.prune_audit_entries(now() - make_interval(days => $1::int), $2::int) AS count',
    [days, limit],
  );
  return pruned?.count ?? 0;
}

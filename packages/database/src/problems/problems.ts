import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { listPage, openConditions } from '../reads/list-page.ts';
import type { ListPage, PageRequest } from '../reads/list-page.ts';
import { problemKinds } from '../states.ts';
import type { ProblemKind, ProblemRecipient } from '../states.ts';

/** A problem. Times are ISO 8601 in UTC. */
export interface ProblemRow {
  id: string;
  /** Null for a problem of the operator. */
  merchant_id: string | null;
  kind: ProblemKind;
  /** The id of a webhook or signing key, an error code, or a finding of the doctor; null when it is about the merchant. */
  subject: string | null;
  opened_at: string;
  last_seen_at: string;
  openings: number;
  /** How much, at most 10,001 where rows are counted. */
  number: number;
  /** Failures in a row; null for other kinds than `webhook_failing`. */
  failures: number | null;
  /** When the oldest of the deliveries was created; null for kinds that are not about deliveries. */
  oldest_at: string | null;
  last_error: string | null;
  resolved_at: string | null;
  acknowledged_until: string | null;
  notified_at: string | null;
  mailed_to: ProblemRecipient | null;
}

/** The columns of a {@link ProblemRow}. */
export const problemColumns = `id, nullif(merchant_id, '') AS merchant_id, kind, nullif(subject, '') AS subject,
  rules.iso_utc(opened_at) AS opened_at, rules.iso_utc(last_seen_at) AS last_seen_at, openings, number,
  failures, rules.iso_utc(oldest_at) AS oldest_at, last_error,
  rules.iso_utc(resolved_at) AS resolved_at, rules.iso_utc(acknowledged_until) AS acknowledged_until,
  rules.iso_utc(notified_at) AS notified_at, mailed_to`;

/** Which problems to list. An omitted field selects all; `merchantId` '' those of the operator. */
export interface ProblemSearch {
  merchantId?: string | undefined;
  kind?: ProblemKind | undefined;
  /** Whether to leave out those that are closed. */
  open?: boolean;
}

/** A page of problems, the newest first. @throws CursorError */
export function listProblems(
  database: Sql,
  { merchantId, kind, open = false }: ProblemSearch,
  page: PageRequest,
): Promise<ListPage<ProblemRow>> {
  const conditions = openConditions();
  conditions.add('merchant_id = ?', merchantId);
  conditions.add('kind = ?', kind);
  const { sql, values } = conditions;
  const from = `FROM problems WHERE true${sql}${open ? ' AND resolved_at IS NULL' : ''}`;
  return listPage(
    database,
    { columns: problemColumns, from, values, time: 'problems.opened_at', id: 'id' },
    page,
  );
}

/**
 * Accepts a problem until a time. Deliveries that are exhausted, and rewards without a webhook, are not late until then. Returns
 * false when there is no such open problem.
 */
export function acknowledgeProblem(database: Sql, id: string, until: string): Promise<boolean> {
  return transact(database, async (tx) => {
    const [row] = await tx.query<{ merchantId: string | null; kind: string }>(
      `UPDATE problems SET acknowledged_until = $2 WHERE id = $1 AND resolved_at IS NULL
       RETURNING nullif(merchant_id, '') AS "merchantId", kind`,
      [id, until],
    );
    if (!row) return false;
    await audit(tx, { merchantId: row.merchantId, subjectId: id, details: { kind: row.kind, until } });
    return true;
  });
}

/** The number of open problems by kind, those that are acknowledged left out. */
export async function countOpenProblems(database: Queryable): Promise<Record<ProblemKind, number>> {
  const rows = await database.query<{ kind: ProblemKind; number: number }>(
    `SELECT kind, count(*)::int AS number FROM problems
     WHERE resolved_at IS NULL AND coalesce(acknowledged_until < now(), true) GROUP BY kind`,
  );
  const counts = new Map(rows.map(({ kind, number }) => [kind, number]));
  return Object.fromEntries(problemKinds.map((kind) => [kind, counts.get(kind) ?? 0])) as Record<
    ProblemKind,
    number
  >;
}

/** A problem that the operator's URL is to be called for. `attempt` counts from 1. */
export type ClaimedProblem = ProblemRow & { attempt: number };

/** Seconds after each call of the operator's URL that fails; after the last one there is no other. */
const retrySeconds = [5, 15, 60, 300];

/** Claims problems that the operator's URL is to be called for, for as long as a call can take, oldest first. */
export function claimNotifications(
  database: Queryable,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<ClaimedProblem[]> {
  return database.query<ClaimedProblem & Record<string, unknown>>(
    `UPDATE problems p SET notify_attempts = notify_attempts + 1, notify_at = now() + make_interval(secs => $2)
     FROM (
       SELECT merchant_id AS merchant, id AS problem FROM problems
       WHERE notify_at <= now() ORDER BY notify_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
     WHERE p.merchant_id = due.merchant AND p.id = due.problem
     RETURNING ${problemColumns}, notify_attempts AS attempt`,
    [limit, leaseSeconds],
  );
}

/** Records the result of a call of the operator's URL. Returns whether it is called again. */
export async function completeNotification(
  database: Queryable,
  { merchant_id: merchantId, id, attempt }: ClaimedProblem,
  delivered: boolean,
): Promise<boolean> {
  const seconds = delivered ? undefined : retrySeconds[attempt - 1];
  await database.execute(
    `UPDATE problems
     SET notify_at = now() + make_interval(secs => $4), notified_at = CASE WHEN $5 THEN now() ELSE notified_at END
     WHERE merchant_id = $1 AND id = $2 AND notify_attempts = $3`,
    [merchantId ?? '', id, attempt, seconds ?? null, delivered],
  );
  return seconds !== undefined;
}

/** Notifies nobody, where the operator has no URL. */
export async function skipNotifications(database: Queryable): Promise<void> {
  await database.execute('UPDATE problems SET notify_at = NULL WHERE notify_at IS NOT NULL');
}

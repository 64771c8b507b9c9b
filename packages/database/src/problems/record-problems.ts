import { newId } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import type { ProblemKind } from '../states.ts';
import type { FoundProblem } from './find-problems.ts';

/** What was looked for: only a problem that was looked for, and not found, closes. */
export interface CheckedProblems {
  kinds: ProblemKind[];
  /** The findings of the doctor, which are the subjects of `finding`. */
  findings: string[];
}

/** Minutes without the condition, and without a failed attempt of its webhook, after which a problem closes. */
const closeAfter = `interval '10 minutes'`;
/** A problem that returns within this time is the same one. */
const sameWithin = `interval '24 hours'`;

/** Requests are counted in Redis, also those of test sides and, for some minutes, those of an id whose data was deleted. */
const found = `
  SELECT f.* FROM jsonb_to_recordset($1::jsonb)
    AS f ("merchantId" text, kind text, subject text, number int, error text, failures int, "oldestAt" timestamptz, id text)
  WHERE f."merchantId" = '' OR EXISTS (SELECT 1 FROM merchants m WHERE m.id = f."merchantId" AND m.mode = 'live')`;

const isKeyOf = (problem: string) =>
  `${problem}.merchant_id = f."merchantId" AND ${problem}.kind = f.kind AND ${problem}.subject = f.subject`;

const renewed = `number = f.number, failures = f.failures, oldest_at = f."oldestAt", last_error = coalesce(f.error, p.last_error)`;

const renewSql = `
  UPDATE problems p SET last_seen_at = clock_timestamp(), ${renewed}
  FROM (${found}) f
  WHERE ${isKeyOf('p')} AND p.resolved_at IS NULL`;

/** The operator is notified of it again only a day after the last time. */
const reopenSql = `
  UPDATE problems p
  SET resolved_at = NULL, last_seen_at = clock_timestamp(), openings = openings + 1, ${renewed},
    notify_at = CASE WHEN coalesce(p.notified_at < now() - ${sameWithin}, true) THEN clock_timestamp() END,
    notify_attempts = 0
  FROM (${found}) f
  CROSS JOIN LATERAL (
    SELECT id FROM problems WHERE ${isKeyOf('problems')} AND resolved_at > now() - ${sameWithin}
    ORDER BY resolved_at DESC LIMIT 1) former
  WHERE p.merchant_id = f."merchantId" AND p.id = former.id
    AND NOT EXISTS (SELECT 1 FROM problems o WHERE ${isKeyOf('o')} AND o.resolved_at IS NULL)`;

const openSql = `
  INSERT INTO problems (merchant_id, id, kind, subject, number, failures, oldest_at, last_error, notify_at)
  SELECT f."merchantId", f.id, f.kind, f.subject, f.number, f.failures, f."oldestAt", f.error, clock_timestamp()
  FROM (${found}) f
  WHERE NOT EXISTS (SELECT 1 FROM problems o WHERE ${isKeyOf('o')} AND o.resolved_at IS NULL)
  ON CONFLICT (merchant_id, kind, subject) WHERE resolved_at IS NULL DO NOTHING`;

const closeSql = `
  UPDATE problems p SET resolved_at = clock_timestamp(), acknowledged_until = NULL, notify_at = NULL
  WHERE p.resolved_at IS NULL AND p.last_seen_at < now() - ${closeAfter}
    AND (p.kind = ANY ($2) OR p.kind = 'finding' AND p.subject = ANY ($3))
    AND NOT EXISTS (SELECT 1 FROM (${found}) f WHERE ${isKeyOf('p')})
    AND NOT (p.kind = 'webhook_failing' AND EXISTS (
      SELECT 1 FROM attempts a
      WHERE a.merchant_id = p.merchant_id AND a.started_at > now() - ${closeAfter} AND a.endpoint_id = p.subject
        AND (a.status IS NULL OR a.status NOT BETWEEN 200 AND 299)))`;

/**
 * Opens, renews and closes problems. One that is found is open; one that was looked for and not found for ten minutes closes.
 * A problem that returns within a day is the same row, opened once more. Only live sides, and the operator, have problems. Calls at the
 * same time run one after the other.
 */
export async function recordProblems(
  database: Sql,
  problems: FoundProblem[],
  { kinds, findings }: CheckedProblems,
): Promise<void> {
  const rows = JSON.stringify(problems.map((problem) => ({ ...problem, id: newId('prb') })));
  await transact(database, async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtext('rewardhook problems'))");
    await tx.execute(renewSql, [rows]);
    await tx.execute(reopenSql, [rows]);
    await tx.execute(openSql, [rows]);
    await tx.execute(closeSql, [rows, kinds, findings]);
  });
}

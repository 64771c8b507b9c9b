import type { Queryable, Sql } from '../client/client.ts';
import { transact } from '../client/client.ts';
import type { ProblemKind, ProblemRecipient } from '../states.ts';

/** A problem in a mail. */
export interface MailedProblem {
  id: string;
  kind: ProblemKind;
  subject: string;
  /** ISO 8601 in UTC. */
  openedAt: string;
  number: number;
  lastError: string | null;
}

/** The problems that one merchant, or the operator, is to be mailed about, oldest first. */
export interface ProblemMail {
  /** Empty for the operator. */
  merchantId: string;
  merchantName: string;
  timezone: string;
  /** The confirmed contact address, or null. */
  contactEmail: string | null;
  /** The addresses of the owners of the team. */
  ownerEmails: string[];
  problems: MailedProblem[];
}

/** Owners that a mail is sent to. */
const maxOwners = 5;
/** After this time a problem is no longer mailed. */
const giveUpAfter = `interval '1 day'`;

/**
 * Open problems that were not mailed. One of a webhook about which a notice was written is left to the mail of notices
 * (notice-mail.ts).
 */
const isUnmailed = `p.resolved_at IS NULL AND p.mailed_at IS NULL AND p.acknowledged_until IS NULL
  AND p.opened_at > now() - ${giveUpAfter} AND NOT (
    p.kind IN ('webhook_failing', 'webhook_disabled') AND EXISTS (
      SELECT 1 FROM notices n
      WHERE n.merchant_id = p.merchant_id AND n.endpoint_id = p.subject AND n.created_at > p.opened_at - interval '1 day'))`;

const problemsOf = (merchant: string) => `(
  SELECT json_agg(json_build_object('id', p.id, 'kind', p.kind, 'subject', p.subject,
    'openedAt', rules.iso_utc(p.opened_at), 'number', p.number, 'lastError', p.last_error) ORDER BY p.opened_at, p.id)
  FROM problems p WHERE p.merchant_id = ${merchant} AND ${isUnmailed})`;

const claimSql = `
  WITH chosen AS (
    SELECT m.id FROM merchants m
    WHERE m.next_digest_at <= now() AND EXISTS (SELECT 1 FROM problems p WHERE p.merchant_id = m.id AND ${isUnmailed})
    ORDER BY m.next_digest_at LIMIT 1
    FOR NO KEY UPDATE OF m SKIP LOCKED
  ), merchant AS (
    UPDATE merchants m SET next_digest_at = now() + make_interval(secs => $1)
    FROM chosen WHERE m.id = chosen.id
    RETURNING m.id, m.name, m.timezone, m.contact_email
  )
  SELECT m.id AS "merchantId", m.name AS "merchantName", m.timezone, m.contact_email AS "contactEmail",
    coalesce((
      SELECT json_agg(u.email ORDER BY t.created_at, u.id) FROM (
        SELECT user_id, created_at FROM memberships WHERE merchant_id = m.id AND role = 'owner'
        ORDER BY created_at LIMIT ${maxOwners}) t
      JOIN users u ON u.id = t.user_id), '[]') AS "ownerEmails",
    ${problemsOf('m.id')} AS problems
  FROM merchant m`;

/**
 * Claims the problems of one merchant whose next digest may be mailed. The claim is a lease on the digests of the merchant, which
 * the notices about its webhooks share: the first one is mailed at once, others at most once in the period.
 */
export async function claimProblemMail(
  database: Queryable,
  leaseSeconds: number,
): Promise<ProblemMail | undefined> {
  const [mail] = await database.query<ProblemMail & Record<string, unknown>>(claimSql, [leaseSeconds]);
  return mail?.problems ? mail : undefined;
}

/** The problems of the operator that were not mailed: the first one at once, others at most once an hour. */
export async function findOperatorProblems(database: Queryable): Promise<ProblemMail | undefined> {
  const [row] = await database.query<{ problems: MailedProblem[] | null }>(
    `SELECT ${problemsOf("''")} AS problems
     WHERE NOT EXISTS (SELECT 1 FROM problems WHERE merchant_id = '' AND mailed_at > now() - interval '1 hour')`,
  );
  if (!row?.problems) return undefined;
  const noMerchant = { merchantName: '', timezone: 'UTC', contactEmail: null, ownerEmails: [] };
  return { merchantId: '', ...noMerchant, problems: row.problems };
}

/** Records who the problems were mailed to. The next digest of the merchant is mailed after `nextInSeconds` at the earliest. */
export async function completeProblemMail(
  database: Sql,
  { merchantId, problems }: ProblemMail,
  recipient: ProblemRecipient,
  nextInSeconds: number,
): Promise<void> {
  await transact(database, async (tx) => {
    await tx.execute(
      `UPDATE problems SET mailed_at = now(), mailed_to = $3
       WHERE merchant_id = $1 AND id = ANY ($2) AND mailed_at IS NULL`,
      [merchantId, problems.map(({ id }) => id), recipient],
    );
    await postponeProblemMail(tx, merchantId, nextInSeconds);
  });
}

/** Makes the next digest of a merchant due after the given seconds. */
export async function postponeProblemMail(
  database: Queryable,
  merchantId: string,
  seconds: number,
): Promise<void> {
  await database.execute(
    'UPDATE merchants SET next_digest_at = now() + make_interval(secs => $2) WHERE id = $1',
    [merchantId, seconds],
  );
}

/** Records that problems are mailed to nobody, where no mail is configured. */
export async function completeAllProblemMails(database: Queryable): Promise<void> {
  await database.execute(
    `UPDATE problems SET mailed_at = now(), mailed_to = 'none' WHERE mailed_at IS NULL AND resolved_at IS NULL`,
  );
}

import type { EndpointNoticeData } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import type { NoticeType } from '../states.ts';

/** A notice in a digest. */
export interface DigestNotice {
  id: string;
  type: NoticeType;
  endpointId: string;
  data: EndpointNoticeData;
  createdAt: Date;
  /** Seconds since then, by the database's clock. */
  age: number;
  /** Attempts to mail it, including this one. */
  attempt: number;
}

/** The notices of one merchant that are due, oldest first, claimed to be mailed in one message. */
export interface ClaimedDigest {
  merchantId: string;
  merchantName: string;
  timezone: string;
  /** The confirmed contact address, or null. */
  contactEmail: string | null;
  notices: DigestNotice[];
}

type ClaimedRow = DigestNotice & Omit<ClaimedDigest, 'notices'>;

/** $1 lease, seconds */
const claimDigestSql = `
  WITH chosen AS (
    SELECT m.id FROM notices n
    JOIN merchants m ON m.id = n.merchant_id
    WHERE n.mailed_at IS NULL AND n.mail_next_at <= now() AND m.next_digest_at <= now()
    ORDER BY n.mail_next_at
    LIMIT 1
    FOR NO KEY UPDATE OF m SKIP LOCKED
  ), merchant AS (
    UPDATE merchants m SET next_digest_at = now() + make_interval(secs => $1)
    FROM chosen
    WHERE m.id = chosen.id AND m.next_digest_at <= now()
    RETURNING m.id, m.name, m.timezone, m.contact_email
  )
  UPDATE notices n
  SET mail_next_at = now() + make_interval(secs => $1), mail_attempts = n.mail_attempts + 1
  FROM merchant
  WHERE n.merchant_id = merchant.id AND n.mailed_at IS NULL AND n.mail_next_at <= now()
  RETURNING n.merchant_id AS "merchantId", n.id, n.type, n.endpoint_id AS "endpointId", n.data,
    n.created_at AS "createdAt", extract(epoch FROM clock_timestamp() - n.created_at)::float8 AS age, n.mail_attempts AS attempt,
    merchant.name AS "merchantName", merchant.timezone, merchant.contact_email AS "contactEmail"`;

/**
 * Claims the unmailed notices of one merchant: the one whose notice has been due longest, among those whose next
 * digest may be mailed. The claim is a lease on the merchant's digests and on each notice: no other worker mails this
 * merchant meanwhile, and if this worker ends, the notices become due again.
 */
export async function claimDigest(database: Sql, leaseSeconds: number): Promise<ClaimedDigest | undefined> {
  const rows = await database.query<ClaimedRow>(claimDigestSql, [leaseSeconds]);
  const [first] = rows;
  if (!first) return undefined;
  const { merchantId, merchantName, timezone, contactEmail } = first;
  const notices = rows
    .map(({ id, type, endpointId, data, createdAt, age, attempt }) => ({
      id,
      type,
      endpointId,
      data,
      createdAt,
      age,
      attempt,
    }))
    .toSorted(
      (one, other) => Number(one.createdAt) - Number(other.createdAt) || (one.id < other.id ? -1 : 1),
    );
  return { merchantId, merchantName, timezone, contactEmail, notices };
}

/**
 * Completes a digest: it was mailed or dropped, or has no recipient. The merchant's next digest is mailed after
 * `nextInSeconds` at the earliest.
 */
export async function completeDigest(
  database: Sql,
  merchantId: string,
  notices: DigestNotice[],
  nextInSeconds: number,
): Promise<void> {
  await transact(database, async (tx) => {
    await tx.query(
      `UPDATE notices SET mailed_at = now()
       WHERE merchant_id = $1 AND id = ANY ($2) AND mailed_at IS NULL`,
      [merchantId, notices.map(({ id }) => id)],
    );
    await tx.query('UPDATE merchants SET next_digest_at = now() + make_interval(secs => $2) WHERE id = $1', [
      merchantId,
      nextInSeconds,
    ]);
  });
}

/** Completes all notices, where no mail is configured. */
export async function completeAllNotices(database: Sql): Promise<void> {
  await database.query('UPDATE notices SET mailed_at = now() WHERE mailed_at IS NULL');
}

/**
 * Makes a claimed digest due again after the given seconds; with 0 the claim does not count as an attempt. Notices that
 * another worker has claimed since stay claimed.
 */
export async function postponeDigest(
  database: Sql,
  merchantId: string,
  notices: DigestNotice[],
  seconds: number,
): Promise<void> {
  await database.query(postponeDigestSql, [
    merchantId,
    notices.map(({ id }) => id),
    notices.map(({ attempt }) => attempt),
    seconds,
    seconds === 0 ? 1 : 0,
  ]);
}

/** $1 merchant id, $2 notice ids, $3 their attempts, $4 seconds, $5 attempts that do not count */
const postponeDigestSql = `
  WITH postponed AS (
    UPDATE notices n
    SET mail_next_at = now() + make_interval(secs => $4), mail_attempts = n.mail_attempts - $5::int
    FROM unnest($2::text[], $3::int[]) AS claimed (id, attempt)
    WHERE n.merchant_id = $1 AND n.id = claimed.id AND n.mail_attempts = claimed.attempt AND n.mailed_at IS NULL
    RETURNING n.merchant_id
  )
  UPDATE merchants SET next_digest_at = now() + make_interval(secs => $4)
  WHERE id IN (SELECT merchant_id FROM postponed)`;

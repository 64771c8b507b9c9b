import type { EndpointNoticeData } from '@rewardhook/contract';
import type { Database } from '../client/client.ts';
import type { NoticeType } from './notices.ts';

/** A notice in a digest. */
export interface DigestNotice {
  id: string;
  type: NoticeType;
  endpointId: string;
  data: EndpointNoticeData;
  createdAt: Date;
  /** This one included. */
  attempt: number;
}

/** The notices of one merchant that are due, oldest first, claimed to be mailed together. */
export interface ClaimedDigest {
  merchantId: string;
  merchantName: string;
  timezone: string;
  /** Confirmed; null where there is none. */
  contactEmail: string | null;
  notices: DigestNotice[];
}

type ClaimedRow = DigestNotice & Omit<ClaimedDigest, 'notices'>;

/**
 * Claims the unmailed notices of the merchant whose notice has been due longest, of those whose last digest is long
 * enough ago. The claim is a lease on the merchant's digests and on each notice: no other worker mails that merchant
 * meanwhile, and if this one dies the notices come due again by themselves.
 */
export async function claimDigest(
  database: Database,
  leaseSeconds: number,
): Promise<ClaimedDigest | undefined> {
  const rows = await database.$queryRaw<ClaimedRow[]>`
    WITH chosen AS (
      SELECT m.id
      FROM notices n JOIN merchants m ON m.id = n.merchant_id
      WHERE n.mailed_at IS NULL AND n.mail_next_at <= now() AND m.next_digest_at <= now()
      ORDER BY n.mail_next_at LIMIT 1 FOR NO KEY UPDATE OF m SKIP LOCKED
    ), merchant AS (
      UPDATE merchants m SET next_digest_at = now() + make_interval(secs => ${leaseSeconds}::double precision)
      FROM chosen WHERE m.id = chosen.id AND m.next_digest_at <= now()
      RETURNING m.id, m.name, m.timezone, m.contact_email
    )
    UPDATE notices n
    SET mail_next_at = now() + make_interval(secs => ${leaseSeconds}::double precision),
      mail_attempts = n.mail_attempts + 1
    FROM merchant
    WHERE n.merchant_id = merchant.id AND n.mailed_at IS NULL AND n.mail_next_at <= now()
    RETURNING n.merchant_id AS "merchantId", n.id, n.type, n.endpoint_id AS "endpointId", n.data,
      n.created_at AS "createdAt", n.mail_attempts AS "attempt", merchant.name AS "merchantName",
      merchant.timezone, merchant.contact_email AS "contactEmail"`;
  const [first] = rows;
  if (!first) return undefined;
  const { merchantId, merchantName, timezone, contactEmail } = first;
  const notices = rows
    .map(({ id, type, endpointId, data, createdAt, attempt }) => ({
      id,
      type,
      endpointId,
      data,
      createdAt,
      attempt,
    }))
    .toSorted(
      (one, other) => Number(one.createdAt) - Number(other.createdAt) || (one.id < other.id ? -1 : 1),
    );
  return { merchantId, merchantName, timezone, contactEmail, notices };
}

/**
 * Ends the mailing of these notices: they were sent, given up, or nobody wants them. The merchant's next digest is
 * mailed after `nextInSeconds` at the earliest.
 */
export async function completeDigest(
  database: Database,
  merchantId: string,
  notices: DigestNotice[],
  nextInSeconds: number,
): Promise<void> {
  const ids = notices.map(({ id }) => id);
  await database.$transaction([
    database.$executeRaw`
      UPDATE notices SET mailed_at = now()
      WHERE merchant_id = ${merchantId} AND id = ANY (${ids}) AND mailed_at IS NULL`,
    database.$executeRaw`
      UPDATE merchants SET next_digest_at = now() + make_interval(secs => ${nextInSeconds}::double precision)
      WHERE id = ${merchantId}`,
  ]);
}

/** Ends the mailing of all notices there are, where no mail is configured. */
export async function completeAllNotices(database: Database): Promise<void> {
  await database.$executeRaw`UPDATE notices SET mailed_at = now() WHERE mailed_at IS NULL`;
}

/**
 * Makes claimed notices due again after the given seconds; 0 does not count as an attempt. Those that another worker
 * has claimed since stay claimed.
 */
export async function postponeDigest(
  database: Database,
  merchantId: string,
  notices: DigestNotice[],
  seconds: number,
): Promise<void> {
  const ids = notices.map(({ id }) => id);
  const attempts = notices.map(({ attempt }) => attempt);
  const untried = seconds === 0 ? 1 : 0;
  await database.$executeRaw`
    WITH mine AS (
      UPDATE notices n SET mail_next_at = now() + make_interval(secs => ${seconds}::double precision),
        mail_attempts = n.mail_attempts - ${untried}::int
      FROM unnest(${ids}::text[], ${attempts}::int[]) AS claimed (id, attempt)
      WHERE n.merchant_id = ${merchantId} AND n.id = claimed.id AND n.mail_attempts = claimed.attempt
        AND n.mailed_at IS NULL
      RETURNING n.merchant_id
    )
    UPDATE merchants SET next_digest_at = now() + make_interval(secs => ${seconds}::double precision)
    WHERE id IN (SELECT merchant_id FROM mine)`;
}

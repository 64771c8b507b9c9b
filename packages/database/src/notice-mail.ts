import type { EndpointNoticeData } from '@rewardhook/contract';
import type { Database } from './client.ts';
import type { NoticeType } from './notices.ts';

/** A notice taken to be mailed, with what is to be known of its merchant. */
export interface ClaimedNotice {
  merchantId: string;
  id: string;
  type: NoticeType;
  endpointId: string;
  data: EndpointNoticeData;
  createdAt: Date;
  /** This one included. */
  attempt: number;
  merchantName: string;
  timezone: string;
  contactEmail: string | null;
}

/**
 * Takes the unmailed notice that is due longest, of whatever merchant. Taking moves its time ahead by the lease: no
 * other worker takes it meanwhile, and if this one dies it comes due again by itself.
 */
export async function claimNotice(
  database: Database,
  leaseSeconds: number,
): Promise<ClaimedNotice | undefined> {
  const [claimed] = await database.$queryRaw<ClaimedNotice[]>`
    WITH due AS (
      SELECT n.merchant_id, n.id, m.name, m.timezone, m.contact_email
      FROM notices n JOIN merchants m ON m.id = n.merchant_id
      WHERE n.mailed_at IS NULL AND n.mail_next_at <= now()
      ORDER BY n.mail_next_at LIMIT 1 FOR UPDATE OF n SKIP LOCKED
    )
    UPDATE notices n
    SET mail_next_at = now() + make_interval(secs => ${leaseSeconds}::double precision),
      mail_attempts = n.mail_attempts + 1
    FROM due
    WHERE n.merchant_id = due.merchant_id AND n.id = due.id
    RETURNING n.merchant_id AS "merchantId", n.id, n.type, n.endpoint_id AS "endpointId", n.data,
      n.created_at AS "createdAt", n.mail_attempts AS "attempt", due.name AS "merchantName",
      due.timezone, due.contact_email AS "contactEmail"`;
  return claimed;
}

/** Ends the mailing of a notice: it was sent, given up, or nobody wants it. */
export async function endNotice(database: Database, { merchantId, id }: ClaimedNotice): Promise<void> {
  await database.$executeRaw`
    UPDATE notices SET mailed_at = now() WHERE merchant_id = ${merchantId} AND id = ${id} AND mailed_at IS NULL`;
}

/** Ends the mailing of all notices there are, where no mail is configured. */
export async function endNotices(database: Database): Promise<void> {
  await database.$executeRaw`UPDATE notices SET mailed_at = now() WHERE mailed_at IS NULL`;
}

/** Lets a notice be mailed again in so many seconds. One that somebody else took since is left to them. */
export async function postponeNotice(
  database: Database,
  { merchantId, id, attempt }: ClaimedNotice,
  seconds: number,
): Promise<void> {
  await database.$executeRaw`
    UPDATE notices SET mail_next_at = now() + make_interval(secs => ${seconds}::double precision)
    WHERE merchant_id = ${merchantId} AND id = ${id} AND mailed_at IS NULL AND mail_attempts = ${attempt}`;
}

/** Gives a notice back untried: it is due again at once. */
export async function releaseNotice(
  database: Database,
  { merchantId, id, attempt }: ClaimedNotice,
): Promise<void> {
  await database.$executeRaw`
    UPDATE notices SET mail_next_at = now(), mail_attempts = mail_attempts - 1
    WHERE merchant_id = ${merchantId} AND id = ${id} AND mailed_at IS NULL AND mail_attempts = ${attempt}`;
}

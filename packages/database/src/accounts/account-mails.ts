import { newId } from '@rewardhook/contract';
import type { AccountMailKind } from '../states.ts';
import { audit } from '../audit/audited.ts';
import { readTime, secondsAfter } from '../client/database-clock.ts';
import type { Database, Queryable, Transaction } from '../client/client.ts';

/** A mail about an account. Its text and its link are made when it is sent. */
export interface NewAccountMail {
  kind: AccountMailKind;
  /** In lower case. */
  recipient: string;
  /** Set for an invitation and for a contact address. */
  merchantId?: string;
  /** The id of the invitation. */
  subjectId?: string;
}

/** A mail that is claimed for an attempt to send it. */
export interface ClaimedAccountMail {
  id: string;
  kind: AccountMailKind;
  recipient: string;
  merchantId: string | null;
  subjectId: string | null;
  /** Seconds since it was stored, by the database's clock. */
  age: number;
  /** Attempts to send it, including this one. */
  attempts: number;
}

/** Stores a mail to be sent, in a transaction of its own. */
export function storeAccountMail(database: Database, mail: NewAccountMail): Promise<void> {
  return database.$transaction(async (tx) => {
    await insertAccountMail(tx, mail);
    await audit(tx);
  });
}

/** Inserts a mail to be sent, within a transaction. */
export async function insertAccountMail(tx: Transaction, mail: NewAccountMail): Promise<void> {
  await tx.accountMail.create({ data: { id: newId('mail'), ...mail } });
}

/** Claims the mail that has been due longest; the claim is a lease, after which it is due again. */
export async function claimAccountMail(
  database: Queryable,
  leaseSeconds: number,
): Promise<ClaimedAccountMail | undefined> {
  const [claimed] = await database.query<ClaimedAccountMail>(
    `UPDATE account_mails
     SET attempts = attempts + 1, next_at = now() + make_interval(secs => $1)
     WHERE id = (
       SELECT id FROM account_mails WHERE next_at <= now() ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED
     )
     RETURNING id, kind, recipient, merchant_id AS "merchantId", subject_id AS "subjectId",
       extract(epoch FROM clock_timestamp() - created_at)::float8 AS age, attempts`,
    [leaseSeconds],
  );
  return claimed;
}

/** Deletes a mail: it was sent, was discarded, or is no longer needed. */
export async function deleteAccountMail(database: Database, { id }: ClaimedAccountMail): Promise<void> {
  await database.accountMail.deleteMany({ where: { id } });
}

/** Makes a mail due again after the given seconds, unless another process has claimed it since. */
export async function postponeAccountMail(
  database: Database,
  { id, attempts }: ClaimedAccountMail,
  seconds: number,
): Promise<void> {
  const nextAt = secondsAfter(await readTime(database), seconds);
  await database.accountMail.updateMany({ where: { id, attempts }, data: { nextAt } });
}

import { newId } from '@rewardhook/contract';
import type { AccountMailKind } from '../states.ts';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';

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
  createdAt: Date;
  /** Attempts to send it, including this one. */
  attempts: number;
}

/** Stores a mail to be sent, in a transaction of its own. */
export function storeAccountMail(database: Database, mail: NewAccountMail): Promise<void> {
  return transact(database, async (tx) => {
    await insertAccountMail(tx, mail);
    await audit(tx);
  });
}

/** Inserts a mail to be sent, within a transaction. */
export async function insertAccountMail(database: Queryable, mail: NewAccountMail): Promise<void> {
  const { kind, recipient, merchantId, subjectId } = mail;
  await database.execute(
    'INSERT INTO account_mails (id, kind, recipient, merchant_id, subject_id) VALUES ($1, $2, $3, $4, $5)',
    [newId('mail'), kind, recipient, merchantId ?? null, subjectId ?? null],
  );
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
       created_at AS "createdAt", attempts`,
    [leaseSeconds],
  );
  return claimed;
}

/** Deletes a mail: it was sent, was discarded, or is no longer needed. */
export async function deleteAccountMail(database: Queryable, { id }: ClaimedAccountMail): Promise<void> {
  await database.execute('DELETE FROM account_mails WHERE id = $1', [id]);
}

/** Makes a mail due again after the given seconds, unless another process has claimed it since. */
export async function postponeAccountMail(
  database: Queryable,
  { id, attempts }: ClaimedAccountMail,
  seconds: number,
): Promise<void> {
  await database.execute(
    `UPDATE account_mails SET next_at = now() + make_interval(secs => $3)
     WHERE id = $1 AND attempts = $2`,
    [id, attempts, seconds],
  );
}

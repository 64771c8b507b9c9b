import { newId } from '@rewardhook/contract';
import type { Database, PrismaTransaction } from '../client/client.ts';

export type AccountMailKind = 'sign_up' | 'password_reset' | 'invitation' | 'contact_confirmation';

/** A mail about an account. What it says, and its link, is decided when it is sent. */
export interface NewAccountMail {
  kind: AccountMailKind;
  /** In lower case. */
  recipient: string;
  /** Of an invitation and a contact address. */
  merchantId?: string;
  /** The id of the invitation. */
  subjectId?: string;
}

/** A mail claimed to be sent. */
export interface ClaimedAccountMail {
  id: string;
  kind: AccountMailKind;
  recipient: string;
  merchantId: string | null;
  subjectId: string | null;
  createdAt: Date;
  /** This one included. */
  attempts: number;
}

/** Stores a mail to be sent. */
export async function insertAccountMail(database: PrismaTransaction, mail: NewAccountMail): Promise<void> {
  await database.accountMail.create({ data: { id: newId('mail'), ...mail } });
}

/** Claims the mail that has been due longest; the claim is a lease, after which it is due again. */
export async function claimAccountMail(
  database: Database,
  leaseSeconds: number,
): Promise<ClaimedAccountMail | undefined> {
  const [claimed] = await database.$queryRaw<ClaimedAccountMail[]>`
    UPDATE account_mails SET attempts = attempts + 1,
      next_at = now() + make_interval(secs => ${leaseSeconds}::double precision)
    WHERE id = (SELECT id FROM account_mails WHERE next_at <= now() ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, kind, recipient, merchant_id AS "merchantId", subject_id AS "subjectId",
      created_at AS "createdAt", attempts`;
  return claimed;
}

/** Removes a mail: it was sent, given up, or there is nothing to say any more. */
export async function deleteAccountMail(database: Database, { id }: ClaimedAccountMail): Promise<void> {
  await database.$executeRaw`DELETE FROM account_mails WHERE id = ${id}`;
}

/** Makes a mail due again after the given seconds, unless another process has claimed it since. */
export async function postponeAccountMail(
  database: Database,
  { id, attempts }: ClaimedAccountMail,
  seconds: number,
): Promise<void> {
  await database.$executeRaw`
    UPDATE account_mails SET next_at = now() + make_interval(secs => ${seconds}::double precision)
    WHERE id = ${id} AND attempts = ${attempts}`;
}

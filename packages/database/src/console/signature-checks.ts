import type { Database, Queryable } from '../client/client.ts';

/** A signing key with its sealed secret; also one that has expired. */
export interface SealedSigningKey {
  id: string;
  secret: string;
  expired: boolean;
}

/** All signing keys that a merchant has ever had, newest first. */
export function listAllSigningKeys(database: Queryable, merchantId: string): Promise<SealedSigningKey[]> {
  return database.query(
    `SELECT id, secret, coalesce(expires_at <= now(), false) AS expired FROM signing_keys
     WHERE merchant_id = $1 ORDER BY created_at DESC, id`,
    [merchantId],
  );
}

/** An event of the merchant with its exact text, or undefined. */
export async function findEventBody(
  database: Database,
  merchantId: string,
  id: string,
): Promise<{ id: string; type: string; body: string } | undefined> {
  const event = await database.event.findFirst({
    where: { merchantId, id },
    select: { id: true, type: true, body: true },
  });
  return event ?? undefined;
}

/** Records that the merchant's receiver verifies signatures. Only the first time is stored. */
export async function recordSignatureChecked(database: Queryable, merchantId: string): Promise<void> {
  await database.query(
    'UPDATE merchants SET signature_checked_at = now() WHERE id = $1 AND signature_checked_at IS NULL',
    [merchantId],
  );
}

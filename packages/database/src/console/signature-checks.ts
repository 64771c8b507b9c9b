import type { Database } from '../client/client.ts';

/** A signing key, sealed, also one that has expired. */
export interface SealedSigningKey {
  id: string;
  secret: string;
  expired: boolean;
}

/** All signing keys that a merchant has had, newest first. */
export function listAllSigningKeys(database: Database, merchantId: string): Promise<SealedSigningKey[]> {
  return database.$queryRaw`
    SELECT id, secret, coalesce(expires_at <= now(), false) AS expired FROM signing_keys
    WHERE merchant_id = ${merchantId} ORDER BY created_at DESC, id`;
}

/** An event of the merchant with its exact text, or undefined. */
export async function findEventBody(
  database: Database,
  merchantId: string,
  id: string,
): Promise<{ id: string; type: string; body: string } | undefined> {
  const event = await database.event.findUnique({
    where: { merchantId_id: { merchantId, id } },
    select: { id: true, type: true, body: true },
  });
  return event ?? undefined;
}

/** Notes that the merchant's receiver gets signatures right; the first time counts. */
export async function recordSignatureChecked(database: Database, merchantId: string): Promise<void> {
  await database.$executeRaw`
    UPDATE merchants SET signature_checked_at = now() WHERE id = ${merchantId} AND signature_checked_at IS NULL`;
}

import type { Database } from '../client/client.ts';

/** An origin that a merchant has proved to control, by a file that it serves or by the operator's word. */
export interface VerifiedOrigin {
  origin: string;
  proof: 'file' | 'operator';
  verifiedAt: Date;
}

/** Notes that a merchant controls an origin; the first proof stays. */
export async function insertVerifiedOrigin(
  database: Database,
  merchantId: string,
  { origin, proof }: Pick<VerifiedOrigin, 'origin' | 'proof'>,
): Promise<void> {
  await database.execute(
    `INSERT INTO verified_origins (merchant_id, origin, proof) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING`,
    [merchantId, origin, proof],
  );
}

/** The merchant's verified origins, oldest first. */
export async function listVerifiedOrigins(database: Database, merchantId: string): Promise<VerifiedOrigin[]> {
  const rows = await database.verifiedOrigin.findMany({
    where: { merchantId },
    orderBy: [{ verifiedAt: 'asc' }, { origin: 'asc' }],
    omit: { merchantId: true },
  });
  return rows.map((row) => ({ ...row, proof: row.proof as VerifiedOrigin['proof'] }));
}

/** Whether the merchant has proved to control the origin. */
export async function isOriginVerified(
  database: Database,
  merchantId: string,
  origin: string,
): Promise<boolean> {
  const where = { merchantId_origin: { merchantId, origin } };
  return (await database.verifiedOrigin.findUnique({ where })) !== null;
}

import { audit } from '../audit/audited.ts';
import type { Database } from '../client/client.ts';
import type { OriginProof } from '../states.ts';

/** An origin that a merchant controls. */
export interface VerifiedOrigin {
  origin: string;
  proof: OriginProof;
  verifiedAt: Date;
}

/** Inserts an origin that a merchant controls. If it is stored already, its proof stays. */
export async function insertVerifiedOrigin(
  database: Database,
  merchantId: string,
  { origin, proof }: Pick<VerifiedOrigin, 'origin' | 'proof'>,
): Promise<void> {
  await database.$transaction(async (tx) => {
    const data = { merchantId, origin, proof };
    await tx.verifiedOrigin.createMany({ data, skipDuplicates: true });
    await audit(tx, { details: { origin, proof } });
  });
}

/** Lists a merchant's verified origins, oldest first. */
export async function listVerifiedOrigins(database: Database, merchantId: string): Promise<VerifiedOrigin[]> {
  const rows = await database.verifiedOrigin.findMany({
    where: { merchantId },
    orderBy: [{ verifiedAt: 'asc' }, { origin: 'asc' }],
    omit: { merchantId: true },
  });
  return rows.map((row) => ({ ...row, proof: row.proof as OriginProof }));
}

/** Whether a merchant controls an origin. */
export async function isOriginVerified(
  database: Database,
  merchantId: string,
  origin: string,
): Promise<boolean> {
  const where = { merchantId_origin: { merchantId, origin } };
  return (await database.verifiedOrigin.findUnique({ where })) !== null;
}

import type { Database, PrismaTransaction } from '../client/client.ts';

/** Whose share link a code is, and where it leads to. */
export interface ShareLink {
  merchantId: string;
  code: string;
  landingUrl: string;
}

/** The share link of a code in capitals; undefined for an unknown code or a merchant without a landing URL. */
export async function findShareLink(database: Database, code: string): Promise<ShareLink | undefined> {
  const [link] = await database.$queryRaw<ShareLink[]>`
    SELECT m.merchant_id AS "merchantId", m.code, s.landing_url AS "landingUrl"
    FROM members m JOIN merchants s ON s.id = m.merchant_id
    WHERE m.code = ${code} AND s.landing_url IS NOT NULL`;
  return link;
}

/** Records that somebody followed a share link. */
export async function insertClick(
  database: Database,
  click: { id: string; merchantId: string; code: string },
): Promise<void> {
  await database.$executeRaw`
    INSERT INTO clicks (id, merchant_id, code) VALUES (${click.id}, ${click.merchantId}, ${click.code})`;
}

/** Days since the click, by the database's clock; undefined when no such click of this merchant and code is known. */
export async function findClickAge(
  database: PrismaTransaction,
  click: { id: string; merchantId: string; code: string },
): Promise<number | undefined> {
  const [row] = await database.$queryRaw<{ days: number }[]>`
    SELECT (extract(epoch FROM now() - clicked_at) / 86400)::float8 AS days
    FROM clicks WHERE id = ${click.id} AND merchant_id = ${click.merchantId} AND code = ${click.code}`;
  return row?.days;
}

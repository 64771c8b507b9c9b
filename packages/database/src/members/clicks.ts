import type { Database, Queryable } from '../client/client.ts';

/** The share link of a referral code. */
export interface ShareLink {
  merchantId: string;
  code: string;
  /** The page that it redirects to. */
  landingUrl: string;
}

/** Finds the share link of a code in capitals; undefined for an unknown code or a merchant without a landing URL. */
export async function findShareLink(database: Database, code: string): Promise<ShareLink | undefined> {
  const [link] = await database.query<ShareLink>(
    `SELECT members.merchant_id AS "merchantId", members.code, merchants.landing_url AS "landingUrl"
     FROM members JOIN merchants ON merchants.id = members.merchant_id
     WHERE members.code = $1 AND merchants.landing_url IS NOT NULL`,
    [code],
  );
  return link;
}

interface Click {
  id: string;
  merchantId: string;
  code: string;
}

/** Records a click on a share link. */
export async function insertClick(database: Database, { id, merchantId, code }: Click): Promise<void> {
  await database.execute('INSERT INTO clicks (id, merchant_id, code) VALUES ($1, $2, $3)', [
    id,
    merchantId,
    code,
  ]);
}

/** Finds the days since a click, by the database's clock; undefined when there is no such click. */
export async function findClickAge(
  database: Queryable,
  { id, merchantId, code }: Click,
): Promise<number | undefined> {
  const [click] = await database.query<{ days: number }>(
    `SELECT (extract(epoch FROM now() - clicked_at) / 86400)::float8 AS days
     FROM clicks WHERE id = $1 AND merchant_id = $2 AND code = $3`,
    [id, merchantId, code],
  );
  return click?.days;
}

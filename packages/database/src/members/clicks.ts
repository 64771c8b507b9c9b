import type { Database, Queryable } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';

/** The share link of a referral code. */
export interface ShareLink {
  merchantId: string;
  code: string;
  /** The page that it redirects to. */
  landingUrl: string;
}

/**
 * Finds the share link of a code in capitals; undefined for an unknown code or a merchant without a landing URL. One
 * statement, because every click on a share link runs it.
 */
export async function findShareLink(database: Queryable, code: string): Promise<ShareLink | undefined> {
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
export async function insertClick(database: Database, click: Click): Promise<void> {
  await database.click.createMany({ data: click });
}

/** Finds the days since a click, by the database's clock; undefined when there is no such click. */
export async function findClickAge(database: Database, click: Click): Promise<number | undefined> {
  const found = await database.click.findFirst({ where: { ...click }, select: { clickedAt: true } });
  if (!found) return undefined;
  const now = await readTime(database);
  return (now.getTime() - found.clickedAt.getTime()) / dayMs;
}

const dayMs = 86_400_000;

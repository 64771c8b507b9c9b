import type { Database } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';

/** The share link of a referral code. */
export interface ShareLink {
  merchantId: string;
  code: string;
  /** The page that it redirects to. */
  landingUrl: string;
}

/** Finds the share link of a code in capitals; undefined for an unknown code or a merchant without a landing URL. */
export async function findShareLink(database: Database, code: string): Promise<ShareLink | undefined> {
  const member = await database.member.findUnique({
    where: { code },
    select: { merchantId: true, merchant: { select: { landingUrl: true } } },
  });
  const landingUrl = member?.merchant.landingUrl;
  return member && landingUrl ? { merchantId: member.merchantId, code, landingUrl } : undefined;
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

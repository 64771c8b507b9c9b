import { createHash } from 'node:crypto';
import { Pool } from 'pg';
import { openDatabase, openSealer } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { migrate } from '../../large-database/large-database.ts';
import type { LargeDatabase } from '../../large-database/large-database.ts';
import { largeMerchant, merchantCount } from '../../large-database/fill-statements.ts';
import { addWebhook, createMerchant } from '../../stack/create-merchant.ts';

/** One of the two databases of the section. Both are in one server, whose caches they share. */
export interface Site {
  name: 'empty' | 'full';
  /** Orders that it was filled with. */
  orders: number;
  database: Database;
  sql: Pool;
  /** Of merchants that have orders when it is full, by their number. */
  merchants: { number: number; id: string }[];
  close(): Promise<void>;
}

/** Opens the filled database, and an empty one with as many merchants beside it. */
export async function openSites(large: LargeDatabase, orders: number): Promise<{ full: Site; empty: Site }> {
  const url = new URL(large.environment.DATABASE_URL);
  const full = await openSite('full', url.href, orders);
  await full.sql.query('DROP DATABASE IF EXISTS bench_empty');
  await full.sql.query('CREATE DATABASE bench_empty');
  url.pathname = '/bench_empty';
  await migrate({ ...large.environment, DATABASE_URL: url.href });
  const database = openDatabase({ url: url.href, poolSize: 1, applicationName: 'rewardhook-bench' });
  const sealer = openSealer(large.environment.SECRETS_KEY);
  for (let number = 0; number < merchantCount; number += 1) {
    const { merchantId } = await createMerchant(database, sealer, `Shop ${number}`);
    for (const path of ['one', 'two']) await addWebhook(database, merchantId, `https://shop.example/${path}`);
  }
  await database.$disconnect();
  return { full, empty: await openSite('empty', url.href, 0) };
}

async function openSite(name: Site['name'], url: string, orders: number): Promise<Site> {
  const sql = new Pool({ connectionString: url, max: 2 });
  // When the server stops before its connections have ended.
  sql.on('error', () => undefined);
  const { rows } = await sql.query<{ number: number; id: string }>(
    `SELECT substr(name, 6)::int AS number, id FROM merchants WHERE name LIKE 'Shop %' ORDER BY 1`,
  );
  const database = openDatabase({ url, poolSize: 2, applicationName: 'rewardhook-bench' });
  return {
    name,
    orders,
    database,
    sql,
    merchants: rows.filter(({ number }) => number === largeMerchant || number % 5 !== 0),
    close: async () => {
      await database.$disconnect();
      await sql.end();
    },
  };
}

/** Part of every id that is made: in a folder that an earlier run has filled, its orders would otherwise be updated. */
export const run = String(Date.now());

/** The id of a merchant by its number. */
export function merchantOf(site: Site, number: number): string {
  const found = site.merchants.find((merchant) => merchant.number === number);
  if (!found) throw new Error(`the database has no merchant ${number}`);
  return found.id;
}

/** Random numbers below `most`, the same in every run of the same salt. */
export function randomNumbers(salt: string, count: number, most: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const digest = createHash('md5').update(`${salt} ${index}`).digest();
    return Number(digest.readBigUInt64BE() % BigInt(most));
  });
}

/** The first characters of the MD5 of a text, as the statements that fill the database make ids of. */
export function hashOf(text: string, length: number): string {
  return createHash('md5').update(text).digest('hex').slice(0, length);
}

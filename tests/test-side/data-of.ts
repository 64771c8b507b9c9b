import type { Database } from '@rewardhook/database';
import { wipedTables } from '../../packages/database/src/merchants/wipe.ts';

/** The tables that have rows of a merchant that a deletion of its data deletes. */
export async function dataOf(database: Database, merchantId: string): Promise<string[]> {
  const found = await Promise.all(
    Object.keys(wipedTables).map(async (table) => {
      const [row] = await database.$queryRawUnsafe<{ any: boolean }[]>(
        `SELECT EXISTS (SELECT 1 FROM ${table} WHERE merchant_id = $1) AS any`,
        merchantId,
      );
      return row?.any ? [table] : [];
    }),
  );
  return found.flat();
}

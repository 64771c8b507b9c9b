import { transact } from './client.ts';
import type { Database, Sql } from './client.ts';

/** A SELECT with its parameters. `pageSize` rows are held in memory at a time. */
export interface PagedQuery {
  sql: string;
  values: unknown[];
  pageSize: number;
}

/**
 * Reads a result of any size page by page, through a cursor: it is found and sorted once. Everything is read in one
 * READ ONLY REPEATABLE READ transaction, so that all pages show the same moment and nothing can be changed.
 */
export async function readInPages(
  database: Database,
  { sql, values, pageSize }: PagedQuery,
  visit: (rows: unknown[], tx: Sql) => Promise<void>,
): Promise<void> {
  await transact(database, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY', []);
    await tx.query(`DECLARE pages NO SCROLL CURSOR FOR ${sql}`, values);
    for (let more = true; more;) {
      const rows = await tx.query(`FETCH ${pageSize} FROM pages`, []);
      if (rows.length > 0) await visit(rows, tx);
      more = rows.length === pageSize;
    }
  });
}

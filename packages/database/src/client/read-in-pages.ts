import { transact } from './client.ts';
import type { Sql, Queryable } from './client.ts';

/** A SELECT with its parameters. */
export interface PagedQuery {
  sql: string;
  values: unknown[];
  /** The number of rows in memory at a time. */
  pageSize: number;
}

/**
 * Reads a result of any size in pages, through a PostgreSQL cursor: it is found and sorted once. All pages come from
 * one snapshot (a REPEATABLE READ, READ ONLY transaction), however long it takes; `visit` may read more from it.
 */
export async function readInPages(
  database: Sql,
  { sql, values, pageSize }: PagedQuery,
  visit: (rows: unknown[], tx: Queryable) => Promise<void>,
): Promise<void> {
  await transact(database, async (tx) => {
    await useSnapshot(tx);
    // It locks nothing, and `visit` may wait for whoever reads its output.
    await tx.query(`SET LOCAL idle_in_transaction_session_timeout = '60s'`);
    await tx.query(`DECLARE pages NO SCROLL CURSOR FOR ${sql}`, values);
    for (let more = true; more;) {
      const rows = await tx.query(`FETCH ${pageSize} FROM pages`);
      if (rows.length > 0) await visit(rows, tx);
      more = rows.length === pageSize;
    }
  });
}

/** Makes a transaction read-only and all its statements read one snapshot. Must be its first statement. */
export async function useSnapshot(tx: Queryable): Promise<void> {
  await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
}

/**
 * Makes the rest of a transaction read tables through their indexes, in index order. For pages of a long table: without
 * fresh statistics the planner would prefer to read and sort all of it for each page (decision 010).
 */
export async function preferIndexes(tx: Queryable): Promise<void> {
  await tx.query(
    `SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true)`,
  );
}

import type { Database, Queryable } from './client.ts';

/** A SELECT with its parameters. `pageSize` rows are held in memory at a time. */
export interface PagedQuery {
  sql: string;
  values: unknown[];
  pageSize: number;
}

/** So long may one reading take, in milliseconds; each of its statements has the usual limit. */
const mostMs = 3_600_000;

/**
 * Reads a result of any size page by page, through a cursor: it is found and sorted once. Everything is read in one
 * READ ONLY REPEATABLE READ transaction, so that all pages show the same moment and nothing can be changed.
 */
export async function readInPages(
  database: Database,
  { sql, values, pageSize }: PagedQuery,
  visit: (rows: unknown[], tx: Queryable) => Promise<void>,
): Promise<void> {
  await database.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET TRANSACTION READ ONLY`;
      await tx.$executeRawUnsafe(`DECLARE pages NO SCROLL CURSOR FOR ${sql}`, ...values);
      for (let more = true; more;) {
        const rows = await tx.$queryRawUnsafe<unknown[]>(`FETCH ${pageSize} FROM pages`);
        if (rows.length > 0) await visit(rows, tx);
        more = rows.length === pageSize;
      }
    },
    { isolationLevel: 'RepeatableRead', timeout: mostMs },
  );
}

import type { Sql } from './client.ts';

/**
 * Has the rest of this transaction read its tables by their indexes, in the order these have. For pages of a long table:
 * a planner without fresh statistics would rather read and sort all of it for each page (decision 010).
 */
export async function readByIndex(tx: Sql): Promise<void> {
  await tx.query(
    `SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true)`,
    [],
  );
}

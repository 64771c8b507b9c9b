import type { ClientBase, Pool } from 'pg';
import type { Figure } from '../report/figure.ts';

/** What was measured on one PostgreSQL. */
export interface Measured {
  figures: Figure[];
  /** Whether its shared memory was in huge pages. */
  hugePages: boolean;
}

/** Whether the shared memory of PostgreSQL is in huge pages (decision 053). False before PostgreSQL 17, which does not say. */
export async function usesHugePages(sql: ClientBase | Pool): Promise<boolean> {
  const { rows } = await sql.query<{ huge: boolean | null }>(
    `SELECT current_setting('huge_pages_status', true) = 'on' AS huge`,
  );
  return rows[0]?.huge ?? false;
}

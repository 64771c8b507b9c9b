import type { Client } from 'pg';
import { readSizes } from './read-sizes.ts';

/** A table, its bytes, and those of a fresh copy with only the rows that the policy keeps. */
export interface ComparedTable {
  table: string;
  bytes: number;
  kept: number;
}

/**
 * Compares the tables that are pruned with fresh copies: same columns, indexes and fillfactor. A partition has the first pages of its
 * indexes, however few rows: the copy, which is one table, counts them as often.
 */
export async function compareWithFreshCopies(
  sql: Client,
  policy: { eventsDays: number; attemptsDays: number; decisionsDays: number },
  now: Date,
): Promise<ComparedTable[]> {
  const kept: Record<string, { days: number; condition: string }> = {
    events: { days: policy.eventsDays, condition: 'created_at >= $1' },
    deliveries: { days: policy.eventsDays, condition: 'created_at >= $1' },
    attempts: { days: policy.attemptsDays, condition: 'started_at >= $1' },
    decisions: {
      days: policy.decisionsDays,
      condition: `NOT EXISTS (
        SELECT 1 FROM decisions later
        WHERE later.merchant_id = stored.merchant_id AND later.order_id = stored.order_id
          AND later.number > stored.number AND later.created_at < $1)`,
    },
  };
  const compared: ComparedTable[] = [];
  for (const [table, { days, condition }] of Object.entries(kept)) {
    const { rows } = await sql.query<{ options: string[] | null }>(
      'SELECT reloptions AS options FROM pg_class WHERE oid = $1::regclass',
      [table],
    );
    const options = rows[0]?.options?.length ? `WITH (${rows[0].options.join(', ')})` : '';
    await sql.query(`CREATE TABLE fresh_${table} (LIKE ${table} INCLUDING ALL) ${options}`);
    const { [`fresh_${table}`]: empty = 0 } = await readSizes(sql);
    const partitions = await sql.query('SELECT 1 FROM pg_inherits WHERE inhparent = $1::regclass', [table]);
    const more = Math.max(0, partitions.rows.length - 1);
    await sql.query(`INSERT INTO fresh_${table} SELECT * FROM ${table} stored WHERE ${condition}`, [
      new Date(now.getTime() - days * 86_400_000),
    ]);
    const sizes = await readSizes(sql);
    const copy = sizes[`fresh_${table}`] ?? 0;
    compared.push({ table, bytes: sizes[table] ?? 0, kept: copy + more * empty });
    await sql.query(`DROP TABLE fresh_${table}`);
  }
  return compared;
}

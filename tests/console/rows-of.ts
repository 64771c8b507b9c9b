import type { Database } from '@rewardhook/database';

type Rows = Record<string, unknown[]>;

/** Tables that are not compared: sessions, and what housekeeping counts or finds every few seconds. */
const changing = ['sessions', 'open_promises', 'problems', 'attempt_counts'];

/** All rows of a merchant, by table: those of every table with a column for the merchant, without those of `except`. */
export async function rowsOf(database: Database, merchantId: string, except: string[] = []): Promise<Rows> {
  const tables = await database.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'merchant_id' AND NOT table_name = ANY(${[...changing, ...except]})
      AND NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = quote_ident(table_name)::regclass)
    ORDER BY 1`;
  const rows: Rows = {};
  for (const { name } of tables) {
    const found = await database.$queryRawUnsafe<{ row: unknown }[]>(
      `SELECT to_jsonb(t) AS row FROM "${name}" t WHERE merchant_id = $1 ORDER BY to_jsonb(t)::text`,
      merchantId,
    );
    rows[name] = found.map(({ row }) => row);
  }
  const [merchant] = await database.$queryRaw<{ row: unknown }[]>`
    SELECT to_jsonb(m) AS row FROM merchants m WHERE id = ${merchantId}`;
  return { ...rows, merchants: [merchant?.row] };
}

/** All texts in the rows that are long enough to be unique. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 6 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(textsOf))];
}

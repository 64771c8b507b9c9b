/**
 * SQL of a subquery that reads the rows of merchant $1 with a value in a column, by the index on these two columns. To be
 * joined with `CROSS JOIN LATERAL`.
 *
 * The planner must not choose another index that begins with the merchant and then filter: it expects one row of a merchant
 * that is not in the statistics, and of any merchant while a table is small, and such a plan reads all of their rows.
 * - The value is compared with `>=` and `<=`, and the rows are ordered by its column. Any other index needs a sort, which
 *   is never cheaper. With `=` the order would be dropped.
 * - `where` is the predicate of a partial index, if it is one.
 * - `(SELECT $1)` hides the merchant from the planner, and `OFFSET 0` keeps it from replacing the lateral join by one that
 *   reads all orders of the merchant.
 */
export function rowsByKey(
  table: string,
  { column, value, where, lock = '' }: { column: string; value: string; where?: string; lock?: string },
): string {
  return `(
    SELECT ctid, * FROM ${table}
    WHERE merchant_id = (SELECT $1::text) AND ${column} >= ${value} AND ${column} <= ${value}${where ? ` AND ${where}` : ''}
    ORDER BY ${column} OFFSET 0 ${lock})`;
}

import type { QueryResultRow } from 'pg';
import { queryInTransaction } from './client.ts';
import type { Queryable, Sql, StatementOptions } from './client.ts';

/*
 * The statements of the stages. Each is complete: no part of its text is put together, so that it can be read, and pasted into
 * psql. statements.integration.test.ts prepares all of them: it compares the types that PostgreSQL finds with those declared
 * here, and checks that each finds its rows by index and by merchant.
 *
 * A row of a large table is found in a form that only the index on its columns can answer. The planner must not choose another
 * index that begins with the merchant and then filter: it expects one row of a merchant that is not in the statistics, and of any
 * merchant while a table is small, and such a plan reads all of their rows.
 *
 *   SELECT o.order_id FROM unnest($2::text[]) AS wanted (order_id)
 *   CROSS JOIN LATERAL (
 *     SELECT * FROM orders
 *     WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.order_id AND order_id <= wanted.order_id
 *     ORDER BY order_id OFFSET 0) o
 *
 * - The value is compared with `>=` and `<=`, and the rows are ordered by its column. Any other index needs a sort, which is
 *   never cheaper. With `=` the order would be dropped.
 * - `(SELECT $1)` hides the merchant from the planner, and `OFFSET 0` keeps it from replacing the lateral join by one that reads
 *   all orders of the merchant.
 */

/** The types of PostgreSQL, as `regtype` writes them, that the driver returns as a TypeScript type. */
type ColumnType<T> = [NonNullable<T>] extends [string]
  ? 'text' | 'uuid' | 'bigint' | 'numeric'
  : [NonNullable<T>] extends [number]
    ? 'integer' | 'smallint' | 'double precision'
    : [NonNullable<T>] extends [boolean]
      ? 'boolean'
      : [NonNullable<T>] extends [Date]
        ? 'timestamp with time zone'
        : [NonNullable<T>] extends [readonly string[]]
          ? 'text[]' | 'json' | 'jsonb'
          : 'json' | 'jsonb';

/** The types of PostgreSQL that a value can be passed as. A string can be an array literal (sql-arrays.ts). */
type ParameterType<T> = [NonNullable<T>] extends [string]
  ? 'text' | 'uuid' | 'json' | 'jsonb' | 'timestamp with time zone' | `${string}[]`
  : [NonNullable<T>] extends [number]
    ? 'integer' | 'bigint' | 'double precision'
    : [NonNullable<T>] extends [bigint]
      ? 'bigint' | 'numeric'
      : [NonNullable<T>] extends [boolean]
        ? 'boolean'
        : [NonNullable<T>] extends [readonly string[]]
          ? 'text[]'
          : [NonNullable<T>] extends [readonly number[]]
            ? 'integer[]'
            : never;

/** The row of a statement that returns none. */
export type NoRow = Record<never, never>;

/** A statement with its rows, and its parameters in the order of their numbers. Both list the type that PostgreSQL has. */
export interface Statement<Row = NoRow, Values extends readonly unknown[] = []> {
  name: string;
  parameters: { [Index in keyof Values]: ParameterType<Values[Index]> };
  columns: { [Column in keyof Row]-?: ColumnType<Row[Column]> };
  text: string;
}

const defined: Statement<never, never>[] = [];

/** Declares a statement. */
export function statement<Row = NoRow, Values extends readonly unknown[] = []>(
  declared: Statement<Row, Values>,
): Statement<Row, Values> {
  defined.push(declared as unknown as Statement<never, never>);
  return declared;
}

/** The statements of the modules that are loaded, for the test of their types and plans. */
export function listStatements(): { name: string; parameters: string[]; columns: object; text: string }[] {
  return defined;
}

/** Runs a statement and returns its rows. */
export function run<Row, Values extends readonly unknown[]>(
  queryable: Queryable,
  { text }: Statement<Row, Values>,
  values: Values,
): Promise<Row[]> {
  return queryable.query<Row & QueryResultRow>(text, [...values]);
}

/** Runs a statement and returns the number of rows that it inserted, updated, deleted or locked. */
export function runCounted<Row, Values extends readonly unknown[]>(
  queryable: Queryable,
  { text }: Statement<Row, Values>,
  values: Values,
): Promise<number> {
  return queryable.execute(text, [...values]);
}

/** Runs a statement as {@link queryInTransaction} does. */
export function runInTransaction<Row, Values extends readonly unknown[]>(
  database: Sql,
  { text }: Statement<Row, Values>,
  values: Values,
  options: StatementOptions,
): Promise<Row[]> {
  return queryInTransaction<Row & QueryResultRow>(database, text, [...values], options);
}

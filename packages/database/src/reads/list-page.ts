import { isUuid, parseDateTime } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';

/** A page of a list, and the cursor of the next page; null at the end. */
export interface ListPage<Row> {
  items: Row[];
  next: string | null;
}

/** The page of a list to read. */
export interface PageRequest {
  /** `next` of the page before; null for the first page. */
  after: string | null;
  /** Most items, 1 or more. A page whose items are large has fewer: see {@link takePage}. */
  limit: number;
}

/** The most bytes of a page as JSON. */
export const pageBytes = 1_048_576;

/**
 * The rows of a page: the first ones, at most `limit` and together at most {@link pageBytes} as JSON, but at least one. The next
 * page begins after the last of them.
 */
export function takePage<Row>(rows: Row[], limit: number): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return index >= limit || (index > 0 && bytes > pageBytes);
  });
  return end < 0 ? rows : rows.slice(0, end);
}

/** Thrown when a cursor was not returned by the list. */
export class CursorError extends Error {}

/** A list in the order of creation. Its SQL consists of constants; input goes into `values`. */
export interface ListQuery {
  /** `WITH …`, if the query needs one. */
  with?: string;
  /** `a, b, …` */
  columns: string;
  /** `FROM … WHERE …` */
  from: string;
  /**
   * Joins that add columns to the rows of the page and remove none: `from` then has the table `d` alone. Otherwise rows with
   * the time of the last one, which may be thousands of one statement, would all be joined before they are sorted.
   */
  joins?: string;
  values: unknown[];
  /** The columns of the order, unique together: a timestamptz and an id. */
  time: string;
  id: string;
  idType?: 'text' | 'uuid';
  order?: 'newest first' | 'oldest first';
  /**
   * Whether to read in the order of an index instead of sorting: for lists that return most of the rows that they
   * scan.
   */
  byIndex?: boolean;
}

/**
 * Reads a page of a list. No OFFSET: keyset pagination, so that rows that are inserted or deleted meanwhile neither
 * repeat nor hide an item. @throws CursorError
 */
export async function listPage<Row extends object>(
  database: Sql,
  query: ListQuery,
  { after, limit }: PageRequest,
): Promise<ListPage<Row>> {
  const {
    with: commonTables = '',
    columns,
    from,
    joins,
    time,
    id,
    idType = 'text',
    order = 'newest first',
  } = query;
  const [comparison, direction] = order === 'newest first' ? ['<', 'DESC'] : ['>', 'ASC'];
  const values = [...query.values];
  let afterCursor = '';
  if (after !== null) {
    values.push(...parseCursor(after, idType));
    const [timeParameter, idParameter] = [
      `$${values.length - 1}::timestamptz`,
      `$${values.length}::${idType}`,
    ];
    afterCursor = `AND (${time}, ${id}) ${comparison} (${timeParameter}, ${idParameter})`;
  }
  values.push(limit + 1);
  const ordered = `ORDER BY ${time} ${direction}, ${id} ${direction}`;
  const limited = `${from} ${afterCursor} ${ordered} LIMIT $${values.length}`;
  const sql = `
    ${commonTables}
    SELECT rules.iso_utc(${time}) AS cursor_time, ${id}::text AS cursor_id, ${columns}
    ${joins === undefined ? limited : `FROM (SELECT d.* ${limited}) d ${joins} ${ordered}`}`;
  const run = (queryable: Queryable) => queryable.query<Row & CursorColumns>(sql, values);
  const rows = query.byIndex
    ? await transact(database, async (tx) => {
        await preferIndexes(tx);
        return run(tx);
      })
    : await run(database);
  const items = takePage(rows, limit);
  const last = items.at(-1);
  return {
    next: rows.length > items.length && last ? formatCursor(last.cursor_time, last.cursor_id) : null,
    items: items.map(({ cursor_time: _time, cursor_id: _id, ...item }) => item as unknown as Row),
  };
}

interface CursorColumns {
  cursor_time: string;
  cursor_id: string;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
function formatCursor(time: string, id: string): string {
  return Buffer.from(`${time} ${id}`).toString('base64url');
}

/** The time and the id in a cursor. @throws CursorError */
function parseCursor(cursor: string, idType: 'text' | 'uuid'): [time: string, id: string] {
  const text = Buffer.from(cursor, 'base64url').toString();
  const gap = text.indexOf(' ');
  const [time, id] = [text.slice(0, gap), text.slice(gap + 1)];
  const valid = timePattern.test(time) && parseDateTime(time) instanceof Date && !id.includes('\0');
  if (gap < 0 || !valid || (idType === 'uuid' && !isUuid(id)))
    throw new CursorError('this is not a cursor of this list');
  return [time, id];
}

/** A cursor of a list in the order of its ids. */
export const formatIdCursor = (id: string): string => Buffer.from(id).toString('base64url');

/** The id in a cursor of a list in the order of its ids. @throws CursorError */
export function parseIdCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  // Not equal when the bytes are not UTF-8: any text decodes to some bytes.
  const valid = id !== '' && !id.includes('\0') && formatIdCursor(id) === cursor;
  if (!valid) throw new CursorError('this is not a cursor of this list');
  return id;
}

/** The conditions of a WHERE clause and their parameters. */
export interface Conditions {
  /** Adds a condition, in which `?` stands for the value. Nothing is added when the value is undefined. */
  add(condition: string, value: unknown): void;
  /** ` AND … AND …`, or an empty string. */
  readonly sql: string;
  readonly values: unknown[];
}

/** Starts the conditions of a query whose first parameters `$1`, `$2`, … are given. */
export function openConditions(...first: unknown[]): Conditions {
  const values = [...first];
  let sql = '';
  return {
    add(condition, value) {
      if (value === undefined) return;
      values.push(value);
      sql += ` AND ${condition.replaceAll('?', `$${values.length}`)}`;
    },
    get sql() {
      return sql;
    },
    values,
  };
}

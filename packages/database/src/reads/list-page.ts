import { isUuid, parseDateTime } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';

/** A page of a list, and the cursor of the next page; null at the end. */
export interface ListPage<Row> {
  items: Row[];
  next: string | null;
  /** Of a page that ends because {@link mostExamined} rows were examined: the last of them. The next page begins after it. */
  searched_to?: SearchedTo;
}

/** The last row that was examined, by its time; in a list in the order of its ids, by its id. */
export type SearchedTo = { time: string } | { id: string };

/** The page of a list to read. */
export interface PageRequest {
  /** `next` of the page before; null for the first page. */
  after: string | null;
  /** Most items, 1 or more. A page whose items are large has fewer: see {@link takePage}. */
  limit: number;
  /**
   * Whether filters that no index answers examine at most {@link mostExamined} rows for it. A page can then have fewer items than
   * `limit`, or none, and a `next`: for people, who see how far the search went. Pages of the API are full.
   */
  bounded?: boolean;
}

/** The most rows of which a filter that no index answers is asked for one page of a bounded list. */
export const mostExamined = 5_000;

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
  /** `FROM … WHERE …`, with conditions that the index of the order answers, or that leave few rows. */
  from: string;
  /** ` AND …`: conditions that no index answers, on the rows of `from`, which are those of the table in `time`, and on `joins`. */
  filter?: string;
  /**
   * Joins that add columns to the rows of the page and remove none: `from` then has the table in `time` alone. Otherwise rows with
   * the time of the last one, which may be thousands of one statement, would all be joined before they are sorted.
   */
  joins?: string;
  values: unknown[];
  /** The columns of the order, unique together: a timestamptz, with the name of its table, and an id. */
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
  page: PageRequest,
): Promise<ListPage<Row>> {
  const { sql, values } = pageSql(query, page);
  const run = (queryable: Queryable) => queryable.query<Row & CursorColumns & ExaminedColumns>(sql, values);
  const rows = query.byIndex
    ? await transact(database, async (tx) => {
        await preferIndexes(tx);
        return run(tx);
      })
    : await run(database);
  const { items, last, isSearchedTo } = takeExamined(rows, page.limit);
  return {
    next: last ? formatCursor(last.cursor_time, last.cursor_id) : null,
    ...(last && isSearchedTo && { searched_to: { time: last.cursor_time } }),
    items: items.map(({ cursor_time: _time, cursor_id: _id, ...item }) => item as unknown as Row),
  };
}

/** The statement of a page, which reads one row more than the page may have. @throws CursorError */
export function pageSql(
  query: ListQuery,
  { after, limit, bounded = false }: PageRequest,
): { sql: string; values: unknown[] } {
  const { with: commonTables = '', columns, from, filter = '', joins, time, id, idType = 'text' } = query;
  const [comparison, direction] = query.order === 'oldest first' ? ['>', 'ASC'] : ['<', 'DESC'];
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
  const order = `${time} ${direction}, ${id} ${direction}`;
  const limited = `ORDER BY ${order} LIMIT $${values.length}`;
  const selected = `rules.iso_utc(${time}) AS cursor_time, ${id}::text AS cursor_id, ${columns}`;
  const table = time.slice(0, time.indexOf('.'));
  if (bounded && query.byIndex && filter !== '') {
    const examined = examineRows({ table, from: `${from} ${afterCursor}`, order, filter });
    const sql = `${commonTables} SELECT ${selected}, ${examined.columns} FROM ${examined.rows} ${joins ?? ''}
      WHERE ${examined.where} ${limited}`;
    return { sql, values };
  }
  const begin = `${commonTables} SELECT ${selected}`;
  const rows = `${from} ${afterCursor}`;
  if (joins === undefined) return { sql: `${begin} ${rows}${filter} ${limited}`, values };
  const joined = filter
    ? `(SELECT ${table}.* ${rows}) ${table} ${joins} WHERE true${filter} ${limited}`
    : `(SELECT ${table}.* ${rows} ${limited}) ${table} ${joins} ORDER BY ${order}`;
  return { sql: `${begin} FROM ${joined}`, values };
}

/** What {@link examineRows} adds to each row. */
export interface ExaminedColumns {
  examined?: number;
  matches?: boolean;
}

/**
 * SQL for the rows that match `filter` among the first {@link mostExamined} of `from`, and the last of these, which says how far the
 * search went: counted in the statement that reads them, so that no row is left out or repeated by those that are stored meanwhile.
 * It reads no further than a LIMIT on the rows that match.
 */
export function examineRows({
  table,
  from,
  order,
  filter,
}: {
  table: string;
  from: string;
  order: string;
  filter: string;
}) {
  const matches = `coalesce(true${filter}, false)`;
  return {
    columns: `${table}.examined, ${matches} AS matches`,
    rows: `(SELECT ${table}.*, row_number() OVER (ORDER BY ${order})::int AS examined
      FROM (SELECT ${table}.* ${from} ORDER BY ${order} LIMIT ${mostExamined}) ${table}) ${table}`,
    where: `(${matches} OR ${table}.examined = ${mostExamined})`,
  };
}

/**
 * The rows of a page, as {@link takePage} takes them, and the row that the next page begins after: the last item, or the last row that was
 * examined; undefined at the end. Without {@link ExaminedColumns}, each row matches.
 */
export function takeExamined<Row extends ExaminedColumns>(
  rows: Row[],
  limit: number,
): { items: Omit<Row, keyof ExaminedColumns>[]; last: Row | undefined; isSearchedTo: boolean } {
  const matching = rows.filter(({ matches = true }) => matches);
  const taken = takePage(matching, limit);
  const items = taken.map(({ examined: _examined, matches: _matches, ...row }) => row);
  if (taken.length < matching.length) return { items, last: taken.at(-1), isSearchedTo: false };
  return { items, last: rows.find(({ examined }) => examined === mostExamined), isSearchedTo: true };
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
  /** Adds one that no index answers, to `filter`. */
  addFilter(condition: string, value: unknown): void;
  /** ` AND … AND …`, or an empty string. */
  readonly sql: string;
  readonly filter: string;
  readonly values: unknown[];
}

/** Starts the conditions of a query whose first parameters `$1`, `$2`, … are given. */
export function openConditions(...first: unknown[]): Conditions {
  const values = [...first];
  const added = { sql: '', filter: '' };
  const addTo = (part: keyof typeof added) => (condition: string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    added[part] += ` AND ${condition.replaceAll('?', `$${values.length}`)}`;
  };
  return {
    add: addTo('sql'),
    addFilter: addTo('filter'),
    get sql() {
      return added.sql;
    },
    get filter() {
      return added.filter;
    },
    values,
  };
}

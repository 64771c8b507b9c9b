import { parseDateTime } from '@rewardhook/contract';
import { preferIndexes } from '../client/read-in-pages.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';

/** A part of a list, and the cursor of what follows; null at the end. */
export interface PageOf<T> {
  items: T[];
  next: string | null;
}

/** Which part of a list is wanted. */
export interface PageRequest {
  /** `next` of the part before; null for the first. */
  after: string | null;
  /** Most items, 1 or more. */
  limit: number;
}

/** A cursor that no list has given out. */
export class CursorError extends Error {}

/** A list in the order of its creation. All parts are fixed texts; what comes from outside is in `values`. */
export interface ListQuery {
  /** `WITH …`, where it needs one. */
  with?: string;
  /** `a, b, …` */
  columns: string;
  /** `FROM … WHERE …` */
  from: string;
  values: unknown[];
  /** The columns that order it, together unique: a timestamptz, and an id. */
  time: string;
  id: string;
  idType?: 'text' | 'uuid';
  order?: 'newest first' | 'oldest first';
  /** Whether an index has this very order and most of what it meets is wanted: then nothing is sorted (decision 010). */
  byIndex?: boolean;
}

/**
 * Reads a part of a list by its place, not by counting: what is added or removed meanwhile neither repeats nor hides
 * an item. @throws CursorError
 */
export async function readPage<T extends object>(
  database: Database,
  query: ListQuery,
  { after, limit }: PageRequest,
): Promise<PageOf<T>> {
  const { with: common = '', columns, from, time, id, idType = 'text', order = 'newest first' } = query;
  const values = [...query.values];
  let place = '';
  if (after !== null) {
    values.push(...readCursor(after, idType));
    const sign = order === 'newest first' ? '<' : '>';
    place = `AND (${time}, ${id}) ${sign} ($${values.length - 1}::timestamptz, $${values.length}::${idType})`;
  }
  values.push(limit + 1);
  const way = order === 'newest first' ? 'DESC' : 'ASC';
  const sql = `${common} SELECT rules.iso_utc(${time}) AS page_time, ${id}::text AS page_id, ${columns} ${from} ${place}
    ORDER BY ${time} ${way}, ${id} ${way} LIMIT $${values.length}`;
  const read = (connection: Queryable) => connection.query<T & Placed>(sql, values);
  const rows = query.byIndex
    ? await transact(database, async (tx) => {
        await preferIndexes(tx);
        return read(tx);
      })
    : await read(database);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    next: rows.length > limit && last ? writeCursor(last.page_time, last.page_id) : null,
    items: items.map(({ page_time: _time, page_id: _id, ...item }) => item as unknown as T),
  };
}

interface Placed {
  page_time: string;
  page_id: string;
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

function writeCursor(time: string, id: string): string {
  return Buffer.from(`${time} ${id}`).toString('base64url');
}

/** The place that a cursor stands for: time and id. @throws CursorError */
export function readCursor(cursor: string, idType: 'text' | 'uuid'): [time: string, id: string] {
  const text = Buffer.from(cursor, 'base64url').toString();
  const gap = text.indexOf(' ');
  const [time, id] = [text.slice(0, gap), text.slice(gap + 1)];
  const known = timeForm.test(time) && parseDateTime(time) instanceof Date && !id.includes('\0');
  if (gap < 0 || !known || (idType === 'uuid' && !uuidForm.test(id)))
    throw new CursorError('this is not a cursor of this list');
  return [time, id];
}

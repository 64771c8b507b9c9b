import { replaceEqualDeep } from '@tanstack/react-query';
import type { PageOfMember, SearchedTo } from './types.ts';

/** The rows of a list that were read so far. Lists are in the order of creation, which never changes. */
export interface LoadedList<T> {
  /** The rows to show. */
  rows: T[];
  /** The first page, as it was read last. */
  first: PageOfMember<T>;
  /** Whether `rows` has more than the first page. */
  hasOlder: boolean;
  /** Cursor of the next page. Null at the end. */
  next: string | null;
  /** How far the last page was searched, when it ends before its rows do. */
  searchedTo?: SearchedTo | undefined;
}

/** A list of which only the first page is loaded. */
export const startList = <T>(first: PageOfMember<T>): LoadedList<T> => ({
  rows: first.items,
  first,
  hasOlder: false,
  next: first.next,
  searchedTo: first.searched_to,
});

/** Adds the page that begins at `cursor`. Nothing changes if the list has moved on meanwhile. */
export function appendPage<T>(list: LoadedList<T>, cursor: string, page: PageOfMember<T>): LoadedList<T> {
  if (list.next !== cursor) return list;
  return {
    ...list,
    rows: [...list.rows, ...page.items],
    hasOlder: true,
    next: page.next,
    searchedTo: page.searched_to,
  };
}

/**
 * A list after its first page was read again. Without older pages, it is that page. With them, its rows keep their positions: the first
 * page updates those that it contains, and those that should be among them and are not have left the list. Newer rows are not
 * added, see {@link freshRows}.
 */
export function refreshList<T extends object>(list: LoadedList<T>, first: PageOfMember<T>): LoadedList<T> {
  if (!list.hasOlder || first.next === null) return startList(first);
  const present = new Map(first.items.map((row) => [idOf(row), row]));
  const covered = list.rows.findLastIndex((row) => present.has(idOf(row)));
  const rows = list.rows.flatMap((row, index) => {
    const now = present.get(idOf(row)) ?? (index > covered ? row : undefined);
    return now ? [now] : [];
  });
  return { ...list, first, rows };
}

/**
 * `after`, in which rows that equal those of `before` are the same objects, at any position: they are not rendered again. It is `before`
 * itself if nothing has changed.
 */
export function shareRows<T extends object>(
  before: LoadedList<T> | undefined,
  after: LoadedList<T>,
): LoadedList<T> {
  if (!before) return after;
  const known = new Map(before.rows.map((row) => [idOf(row), row]));
  const rows = after.rows.map((row) => replaceEqualDeep(known.get(idOf(row)), row));
  const first = replaceEqualDeep(before.first, after.first);
  const isSame =
    first === before.first &&
    after.next === before.next &&
    after.hasOlder === before.hasOlder &&
    rows.length === before.rows.length &&
    rows.every((row, index) => row === before.rows[index]);
  return isSame ? before : { ...after, first, rows };
}

/** How many rows of the first page are newer than those shown. `isExact` is false if there may be more than one page of them. */
export function freshRows<T extends object>({
  rows,
  first,
}: LoadedList<T>): { count: number; isExact: boolean } {
  const shown = new Set(rows.map(idOf));
  const count = first.items.filter((row) => !shown.has(idOf(row))).length;
  return { count, isExact: count < first.items.length };
}

/** The fields that identify a row. Orders and members have the ids of the merchant only. */
const idFields = ['id', 'order_id', 'member_id'] as const;

/** What identifies a row in its list. */
export function idOf(row: object): string {
  const field = idFields.find((name) => name in row);
  if (!field) throw new Error('a row of a list has an id');
  return String(row[field as keyof typeof row]);
}

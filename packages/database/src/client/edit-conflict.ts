import { isDeepStrictEqual } from 'node:util';

/** Thrown instead of overwriting a concurrent change. Nothing was changed. */
export class EditConflict<Current = Record<string, unknown>> extends Error {
  /** What is stored now: the fields in conflict, or the newest version of the object. */
  readonly current: Current;

  constructor(current: Current) {
    super('this was changed concurrently');
    this.current = current;
  }
}

/**
 * Merges changes with concurrent ones (a three-way merge): returns the fields to update. `base` holds the fields as they
 * were when the edit began. A field that the edit did not change keeps its stored value. Without `base` all changes are
 * made.
 * @throws EditConflict when a field was changed both by the edit and concurrently, to different values
 */
export function mergeChanges<Row extends object>(
  row: Row,
  changes: Partial<Row>,
  base: Partial<Row> = {},
): Partial<Row> {
  const merged: Partial<Row> = {};
  const conflicts: Record<string, unknown> = {};
  for (const field of Object.keys(changes) as (keyof Row & string)[]) {
    const hasBase = field in base;
    if (hasBase && isDeepStrictEqual(changes[field], base[field])) continue;
    const isUnchanged = !hasBase || isDeepStrictEqual(row[field], base[field]);
    if (isUnchanged || isDeepStrictEqual(row[field], changes[field])) merged[field] = changes[field];
    else conflicts[field] = row[field];
  }
  if (Object.keys(conflicts).length > 0) throw new EditConflict(conflicts);
  return merged;
}

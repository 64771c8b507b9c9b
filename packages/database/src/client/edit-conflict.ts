import { isDeepStrictEqual } from 'node:util';

/** Thrown instead of overwriting what somebody else changed since it was read. Nothing was changed. */
export class EditConflict<Current = Record<string, unknown>> extends Error {
  /** What is stored now: the fields in conflict, or the newest version of the whole. */
  readonly current: Current;

  constructor(current: Current) {
    super('somebody else has changed this meanwhile');
    this.current = current;
  }
}

/**
 * The changes to make to a row. `base` is what the fields were when the changes were begun: a field that is wanted as it
 * was keeps its stored value, so that changes of different fields do not undo each other. Without `base` all are made.
 * @throws EditConflict when the stored field is neither that of `base` nor the wanted one
 */
export function mergeChanges<Row extends object>(
  row: Row,
  changes: Partial<Row>,
  base: Partial<Row> = {},
): Partial<Row> {
  const wanted: Partial<Row> = {};
  const conflicts: Record<string, unknown> = {};
  for (const field of Object.keys(changes) as (keyof Row & string)[]) {
    const based = field in base;
    if (based && isDeepStrictEqual(changes[field], base[field])) continue;
    const untouched = !based || isDeepStrictEqual(row[field], base[field]);
    if (untouched || isDeepStrictEqual(row[field], changes[field])) wanted[field] = changes[field];
    else conflicts[field] = row[field];
  }
  if (Object.keys(conflicts).length > 0) throw new EditConflict(conflicts);
  return wanted;
}

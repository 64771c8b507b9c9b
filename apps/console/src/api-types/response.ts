/** ISO 8601 in UTC, `2026-11-21T03:51:23.123Z`; with up to six digits of the second. */
export type DateTime = string;

/** The body of every success, but of 204 (no body) and of the CSV. */
export interface Data<T> {
  data: T;
}

/** A part of a list. `next` goes into `?after=` for what follows; null at the end. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

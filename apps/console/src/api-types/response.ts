import type { SearchedTo } from '@rewardhook/database';

export type { SearchedTo };

/** ISO 8601 in UTC, `2026-11-21T03:51:23.123Z`; with up to six digits of the second. */
export type DateTime = string;

/** The body of every success, except 204 (no body) and CSV files. */
export interface Data<T> {
  data: T;
}

/** A page of a list. `next` is the `?after=` of the next page; null at the end. */
export interface Page<T> {
  items: T[];
  next: string | null;
  /** How far a page was searched that ends before its list because it examined as many rows as a page may. `next` goes on. */
  searched_to?: SearchedTo;
}

/** A page of a list that can be filtered by a member. */
export interface PageOfMember<T> extends Page<T> {
  /** The surviving member, when the filter is a former id: the list is filtered by them. */
  survivor_member_id?: string;
}

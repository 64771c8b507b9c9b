import { callApi } from './call-api.ts';
import type { Call, CallSettings } from './call-api.ts';

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** `after` of the next page; null at the end. */
  next: string | null;
  has_more: boolean;
}

/** Where a list begins, and how many items its pages have. */
export interface PageOptions {
  /** `next` of an earlier page. Default: the beginning. */
  after?: string | undefined;
  /** Items of a page, 1 to 200. Default 50. */
  limit?: number;
  signal?: AbortSignal;
}

/** A list that is read page by page: `for await (const reward of rewards) …`. Nothing is read before the loop begins. */
export interface List<Item> extends AsyncIterable<Item> {
  pages(): AsyncIterable<Page<Item>>;
}

/** A list at a path; `name` is that of the list in the answer. */
export function openList<Item>(
  settings: CallSettings,
  path: string,
  name: string,
  { signal, ...query }: PageOptions & NonNullable<Call['query']> = {},
): List<Item> {
  async function* pages(): AsyncGenerator<Page<Item>> {
    let after = query.after;
    for (;;) {
      const call = { method: 'GET', path, query: { ...query, after }, signal } as const;
      const { data } = (await callApi(settings, call)) as { data: Record<string, unknown> };
      const page = { items: data[name] as Item[], next: data['next'] as string | null };
      yield { ...page, has_more: page.next !== null };
      if (page.next === null) return;
      after = page.next;
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items;
    },
  };
}

import { setTimeout as wait } from 'node:timers/promises';
import { callApi } from './call-api.ts';
import type { CallSettings } from './call-api.ts';
import type { EventType, FeedEvent } from './events.ts';
import { RewardhookError } from './rewardhook-error.ts';

/** A page of the event feed. */
export interface FeedPage {
  events: FeedEvent[];
  /** The cursor after this page; never null. */
  next: string;
  has_more: boolean;
}

/** What is read of the feed. */
export interface FeedQuery {
  /** The cursor: `next` of the page before. Default: the oldest event that is kept. */
  after?: string | undefined;
  /** Without `after`: the time at which the feed begins. */
  since?: Date | string | undefined;
  /** Events of a page, 1 to 1,000. Default 100. */
  limit?: number | undefined;
  /** Default: `reward.issue` and `reward.revoke`. */
  types?: readonly EventType[] | undefined;
}

/** Where a reader stores its cursor: one row of your database. */
export interface CursorStore {
  /** The cursor that was stored last; undefined before the first. */
  load(): Promise<string | undefined>;
  store(cursor: string): Promise<void>;
}

/** How events are read, and what is done with them. */
export interface ReadOptions extends Omit<FeedQuery, 'after'> {
  cursors: CursorStore;
  /**
   * Called with one event after the other. It may be called with an event again, after an error or when the cursor has
   * expired, so the work is done once for each `type` and `data.reward.id`. When it throws, reading ends with that error,
   * and the next call begins with the same page.
   */
  onEvent: (event: FeedEvent) => unknown;
  /**
   * Called when the feed cannot be continued from the cursor. Returns the time from which it is read again, well before
   * the last successful read. Default: from the oldest event that is kept.
   */
  onCursorExpired?: () => Date | undefined | Promise<Date | undefined>;
  /** Waits for this time at the end of the feed and reads on, until `signal` is aborted. Default: returns at the end. */
  pollMs?: number;
  signal?: AbortSignal;
}

/** Reads one page of the feed. */
export async function readFeedPage(
  settings: CallSettings,
  { after, since, limit, types }: FeedQuery,
  signal?: AbortSignal,
): Promise<FeedPage> {
  const query = { after, since: after === undefined ? since : undefined, limit, types: types?.join() };
  const call = { method: 'GET', path: '/api/open/events/', query, signal } as const;
  return ((await callApi(settings, call)) as { data: FeedPage }).data;
}

/** Whether an error is what the abort of a signal throws: its reason, or the AbortError of a wait. */
function isAbort(error: unknown, { reason }: AbortSignal): boolean {
  const { name, cause } = (error ?? {}) as Partial<Error>;
  return error === reason || (name === 'AbortError' && cause === reason);
}

/**
 * Reads the feed from the stored cursor and passes each event to `onEvent`. The cursor is stored after all events of a page
 * have been handled, so none is skipped. Returns the number of events.
 */
export async function readEvents(settings: CallSettings, options: ReadOptions): Promise<number> {
  const { cursors, onEvent, pollMs, signal } = options;
  let after = await cursors.load();
  let since = options.since;
  let count = 0;
  const readPage = async (): Promise<FeedPage> => {
    try {
      return await readFeedPage(settings, { ...options, after, since }, signal);
    } catch (error) {
      const expired = error instanceof RewardhookError && error.code === 'cursor_expired';
      if (!expired || after === undefined) throw error;
      after = undefined;
      since = await options.onCursorExpired?.();
      return readFeedPage(settings, { ...options, after, since }, signal);
    }
  };
  try {
    for (;;) {
      const { events, next, has_more: hasMore } = await readPage();
      for (const event of events) {
        signal?.throwIfAborted();
        await onEvent(event);
        count += 1;
      }
      if (next !== after) await cursors.store(next);
      after = next;
      if (hasMore) continue;
      if (pollMs === undefined) return count;
      await wait(pollMs, undefined, { signal });
    }
  } catch (error) {
    // To stop is the ordinary end of a reader that polls. Errors of the caller's functions are not hidden by it.
    if (pollMs !== undefined && signal?.aborted && isAbort(error, signal)) return count;
    throw error;
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import { RewardhookError, type EventType, type FeedEvent, type FeedPage } from '@rewardhook/node';
import { isTemporary, type Api } from '../api/open-api.ts';

/** Where and what to read, and what to report meanwhile. */
export type FeedOptions = {
  /** Events before this time are skipped. Undefined: what is created from now on. */
  since: Date | undefined;
  types: readonly EventType[];
  signal: AbortSignal;
  /** Called when reading starts, or continues after an interruption. */
  onReady: () => void;
  /** Called once for each interruption. */
  onInterrupted: (why: string) => void;
};

const pageSize = 100;
const pollMs = 1_000;
/** Waits between attempts while the API does not answer. */
const backoffMs = [500, 1_000, 2_000, 5_000, 10_000];

/** Most event ids that are remembered, to skip those that the feed repeats after `cursor_expired`. */
const maxSeen = 10_000;

/**
 * The events of the feed, oldest first, without end. Interruptions of the API are waited for. Ends when the signal aborts.
 * @throws RewardhookError when the API refuses to answer, such as for a wrong key
 */
export async function* readFeed(api: Api, options: FeedOptions): AsyncGenerator<FeedEvent> {
  const { signal, types } = options;
  const seen = new Set<string>();
  const startedAt = new Date();
  const since = options.since ?? startedAt;
  let after: string | undefined;
  // Without `--since`, everything up to the end of the feed is skipped, whatever the two clocks say.
  let skipping = options.since === undefined;
  let interrupted = 0;
  let ready = false;
  // The feed starts up to five minutes before `since`.
  const isWanted = ({ id, created_at: at }: FeedEvent): boolean =>
    !skipping && !seen.has(id) && (options.since === undefined || new Date(at) >= options.since);

  while (!signal.aborted) {
    let page: FeedPage;
    try {
      page = await api.events.page({
        types,
        limit: pageSize,
        ...(after === undefined ? { since } : { after }),
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RewardhookError && error.code === 'cursor_expired') {
        options.onInterrupted('the cursor of the feed has expired; events that were forwarded are skipped');
        [after, ready] = [undefined, false];
        continue;
      }
      if (!isTemporary(error)) throw error;
      if (interrupted === 0) options.onInterrupted(error.message);
      const backoff = backoffMs[Math.min(interrupted, backoffMs.length - 1)] ?? pollMs;
      interrupted += 1;
      ready = false;
      await pause(1_000 * (error.retryAfterSeconds ?? backoff / 1_000), signal);
      continue;
    }
    interrupted = 0;
    const events = page.events.filter(isWanted);
    for (const event of page.events) remember(seen, event.id);
    after = page.next;
    for (const event of events) yield event;
    if (page.has_more) continue;
    skipping = false;
    if (!ready) options.onReady();
    ready = true;
    await pause(pollMs, signal);
  }
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id);
  const [oldest] = seen.size > maxSeen ? seen : [];
  if (oldest !== undefined) seen.delete(oldest);
}

/** Waits, or returns at once when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

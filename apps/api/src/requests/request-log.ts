import { randomUUID } from 'node:crypto';
import type { NewRequest, RefusedCount } from '@rewardhook/database';
import { repeat, withTimeout } from '@rewardhook/process';
import type { Log, Metrics } from '@rewardhook/process';

/*
 * The list of requests of the console. Rows and counts wait in memory, and are written together every two seconds; no request waits for
 * that. Rows that cannot be written, or do not fit, are dropped. Counts wait until they are written.
 */

const writeEveryMs = 2_000;

/** What waits or is being written, at most: rows, their bytes, and counts of refused requests. */
const most = { rows: 2_000, bytes: 1_048_576, counts: 10_000 };

/** Refused requests with one key that this process stores in a minute. Anybody has the public key: those with it hide no others. */
const refusedPerMinute = 100;

const quarterMs = 900_000;

/** How long the last write may take, in milliseconds: the shutdown does not wait for a PostgreSQL that is away. */
const stopMs = 2_000;

/** Where the list is stored. */
export type WriteRequests = (
  writer: string,
  requests: readonly NewRequest[],
  counts: readonly RefusedCount[],
) => Promise<void>;

/** The request to record: what decides whether it is stored, and how to describe it, which is called if it is. */
export interface AnsweredRequest {
  merchantId: string;
  keyId: string;
  route: string;
  /** The error code; undefined when it was not refused. */
  code: string | undefined;
  hasWarnings: boolean;
  describe(): NewRequest;
}

/** Records answered requests. */
export interface RequestLog {
  record(request: AnsweredRequest): void;
  /** Writes what waits, once, and ends. */
  stop(): Promise<void>;
}

/** A count, and the total that was written. */
interface Count extends RefusedCount {
  written: number;
}

/** Opens the log. */
export function openRequestLog(
  write: WriteRequests,
  { metrics, log }: { metrics: Metrics; log: Log },
): RequestLog {
  const writer = randomUUID();
  const counts = new Map<string, Count>();
  let rows: NewRequest[] = [];
  /** With those that are being written. */
  const held = { rows: 0, bytes: 0 };
  const kept = openShares();
  const dropped = metrics.counter(
    'request_rows_dropped_total',
    'Requests that are not in the list of the console although they should be: `full` when too many waited, ' +
      '`unavailable` when PostgreSQL did not store them, `counts` when their number is not in Errors',
    ['reason'],
  );
  metrics.gauge(
    'request_rows_held_bytes',
    'Bytes of requests that wait to be stored for the console',
    () => held.bytes,
  );

  const count = (merchantId: string, route: string, code: string) => {
    const startsAt = Math.floor(Date.now() / quarterMs) * quarterMs;
    const name = `${merchantId} ${startsAt} ${route} ${code}`;
    const known = counts.get(name);
    if (known) known.total += 1;
    else if (counts.size < most.counts)
      counts.set(name, { merchantId, startsAt, route, code, total: 1, written: 0 });
    else dropped.inc({ reason: 'counts' });
  };
  const writeWaiting = async () => {
    const changed = Array.from(counts.values(), (one) => ({ one, total: one.total })).filter(
      ({ one, total }) => total > one.written,
    );
    const [writing, bytes] = [rows, held.bytes];
    if (writing.length === 0 && changed.length === 0) return;
    rows = [];
    try {
      await write(
        writer,
        writing,
        changed.map(({ one }) => countOf(one)),
      );
      for (const { one, total } of changed) one.written = total;
      const quarter = Math.floor(Date.now() / quarterMs) * quarterMs;
      for (const [name, { startsAt, total, written }] of counts)
        if (startsAt < quarter && written === total) counts.delete(name);
    } catch (error) {
      dropped.inc({ reason: 'unavailable' }, writing.length);
      throw error;
    } finally {
      held.rows -= writing.length;
      held.bytes -= bytes;
    }
  };
  const writing = repeat('store requests', writeEveryMs, log, writeWaiting);
  return {
    record({ merchantId, keyId, route, code, hasWarnings, describe }) {
      if (code !== undefined) count(merchantId, route, code);
      if (!(code === undefined ? kept.takeOther(keyId, hasWarnings) : kept.takeRefused(keyId))) return;
      const row = describe();
      const bytes = bytesOf(row);
      if (held.rows >= most.rows || held.bytes + bytes > most.bytes) return dropped.inc({ reason: 'full' });
      rows.push(row);
      held.rows += 1;
      held.bytes += bytes;
    },
    stop: () => withTimeout(writing.stop().then(writeWaiting), stopMs, 'the last requests were not stored'),
  };
}

const countOf = ({ written: _written, ...count }: Count): RefusedCount => count;

/** Of an object with the fields of a row, and for each text in its lists. */
const bytesOfRow = 400;
const bytesOfText = 100;

/** About what a row takes in memory: a character has two bytes at most. */
function bytesOf({ requestId, errors, orderIds }: NewRequest): number {
  let bytes = bytesOfRow + 2 * requestId.length;
  for (const id of orderIds) bytes += bytesOfText + 2 * id.length;
  for (const { path, options, known } of errors)
    bytes += 2 * bytesOfText + 2 * (path.length + String(options ?? known ?? '').length);
  return bytes;
}

/**
 * What is stored of each key: some refused requests in a minute, one other request in a second, and one whose answer has warnings, so
 * that the usual ones do not hide those.
 */
function openShares() {
  const refused = new Map<string, number>();
  const others = new Set<string>();
  let minute = 0;
  let second = 0;
  return {
    takeRefused(keyId: string): boolean {
      const now = Math.floor(Date.now() / 60_000);
      if (now !== minute) refused.clear();
      minute = now;
      const number = (refused.get(keyId) ?? 0) + 1;
      refused.set(keyId, number);
      return number <= refusedPerMinute;
    },
    takeOther(keyId: string, hasWarnings: boolean): boolean {
      const now = Math.floor(Date.now() / 1_000);
      if (now !== second) others.clear();
      second = now;
      const name = hasWarnings ? `${keyId} warned` : keyId;
      if (others.has(name)) return false;
      others.add(name);
      return true;
    },
  };
}

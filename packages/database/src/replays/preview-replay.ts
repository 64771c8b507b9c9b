import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { run } from '../client/statement.ts';
import type { ReplayableState, ReplayFilter, ReplaySkip } from './replay-filter.ts';
import { candidateParameters, countCandidatesSql, firstCursor } from './replay-statements.ts';
import type { CandidateCount } from './replay-statements.ts';

/** The deliveries that a replay would send, and those that it would skip. */
export interface ReplayPreview {
  /** Deliveries that would be sent again. */
  total: number;
  counts: { endpointId: string; state: ReplayableState; count: number }[];
  skipped: { endpointId: string; reason: ReplaySkip; count: number }[];
}

/** The same for the deliveries that were counted within a limited time. */
export interface PartialReplayPreview extends ReplayPreview {
  /** Whether all deliveries were counted. If not, the replay sends at least as many. */
  complete: boolean;
}

/** Deliveries that one statement scans: it stays short, however many there are. */
const scanLimit = 10_000;
/** The same where the time is limited: the time is checked after each statement. */
const shortScanLimit = 1_000;

/** Counts the deliveries that a replay would send if it ran now. Changes nothing. */
export async function previewReplay(
  database: Sql,
  merchantId: string,
  filter: ReplayFilter,
): Promise<ReplayPreview> {
  const { complete: _complete, ...preview } = await countWithin(database, merchantId, filter, null);
  return preview;
}

/**
 * Counts the deliveries that a replay would send if it ran now, the oldest first, until all are counted or these
 * milliseconds have passed. Changes nothing.
 */
export function previewReplayWithin(
  database: Sql,
  merchantId: string,
  filter: ReplayFilter,
  milliseconds: number,
): Promise<PartialReplayPreview> {
  return countWithin(database, merchantId, filter, milliseconds);
}

async function countWithin(
  database: Sql,
  merchantId: string,
  filter: ReplayFilter,
  milliseconds: number | null,
): Promise<PartialReplayPreview> {
  const sums = new Map<string, CandidateCount>();
  const complete = await countCandidates(database, merchantId, filter, milliseconds, (counted) => {
    const { endpointId, skip, state } = counted;
    const key = JSON.stringify([endpointId, skip ?? '', skip === null ? state : '']);
    const sum = sums.get(key);
    if (sum) sum.count += counted.count;
    else sums.set(key, { ...counted });
  });
  const sorted = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
  const counts = sorted
    .filter(({ skip }) => skip === null)
    .map(({ endpointId, state, count }) => ({ endpointId, state, count }));
  const skipped = sorted.flatMap(({ endpointId, skip, count }) =>
    skip === null ? [] : [{ endpointId, reason: skip, count }],
  );
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return { total, counts, skipped, complete };
}

/** Visits the counts page by page. Returns whether it came to the end within the time; null is without a limit. */
function countCandidates(
  database: Sql,
  merchantId: string,
  filter: ReplayFilter,
  milliseconds: number | null,
  visit: (counted: CandidateCount) => void,
): Promise<boolean> {
  const limit = milliseconds === null ? scanLimit : shortScanLimit;
  const until = milliseconds === null ? Infinity : performance.now() + milliseconds;
  return transact(database, async (tx) => {
    await preferIndexes(tx);
    let cursor = firstCursor;
    for (let more = true; more;) {
      const scan = { ...filter, ...cursor, merchantId, replayId: null, limit };
      const [page] = await run(tx, countCandidatesSql, candidateParameters(scan));
      page?.counts.forEach(visit);
      more = page?.scanned === limit;
      if (page && more) cursor = { cursorTime: page.cursorTime, cursorId: page.cursorId };
      if (more && performance.now() >= until) return false;
    }
    return true;
  });
}

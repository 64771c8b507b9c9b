import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import type { ReplayableState, ReplayFilter, ReplaySkip } from './replay-filter.ts';
import { candidateParameters, countCandidatesSql, firstCursor } from './replay-statements.ts';
import type { ReplayCursor } from './replay-statements.ts';

/** The deliveries that a replay would send, and those that it would skip. */
export interface ReplayPreview {
  /** Deliveries that would be sent again. */
  total: number;
  counts: { endpointId: string; state: ReplayableState; count: number }[];
  skipped: { endpointId: string; reason: ReplaySkip; count: number }[];
}

/** Deliveries that one statement scans: it stays short, however many there are. */
const scanLimit = 10_000;

interface CandidateCount {
  endpointId: string;
  state: ReplayableState;
  /** Null for those that would be sent. */
  skip: ReplaySkip | null;
  count: number;
}

/** Counts the deliveries that a replay would send if it ran now. Changes nothing. */
export async function previewReplay(
  database: Database,
  merchantId: string,
  filter: ReplayFilter,
): Promise<ReplayPreview> {
  const sums = new Map<string, CandidateCount>();
  await countCandidates(database, merchantId, filter, (count) => {
    const { endpointId, skip, state } = count;
    const key = JSON.stringify([endpointId, skip ?? '', skip === null ? state : '']);
    const sum = sums.get(key);
    if (sum) sum.count += count.count;
    else sums.set(key, { ...count });
  });
  const sorted = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
  const counts = sorted
    .filter(({ skip }) => skip === null)
    .map(({ endpointId, state, count }) => ({ endpointId, state, count }));
  const skipped = sorted.flatMap(({ endpointId, skip, count }) =>
    skip === null ? [] : [{ endpointId, reason: skip, count }],
  );
  return { total: counts.reduce((sum, { count }) => sum + count, 0), counts, skipped };
}

async function countCandidates(
  database: Database,
  merchantId: string,
  filter: ReplayFilter,
  visit: (count: CandidateCount) => void,
): Promise<void> {
  await transact(database, async (tx) => {
    await preferIndexes(tx);
    let cursor = firstCursor;
    for (let more = true; more;) {
      const [page] = await tx.query<{ counts: CandidateCount[]; scanned: number } & ReplayCursor>(
        countCandidatesSql,
        candidateParameters({ ...filter, ...cursor, merchantId, replayId: null, limit: scanLimit }),
      );
      page?.counts.forEach(visit);
      more = page?.scanned === scanLimit;
      if (page && more) cursor = { cursorTime: page.cursorTime, cursorId: page.cursorId };
    }
  });
}

import { newId } from '@rewardhook/contract';
import { hot } from './client.ts';
import type { Database } from './client.ts';
import { isMeant, skipReason } from './replay-filter.ts';
import type { ReplayableState, ReplayFilter, ReplaySkip } from './replay-filter.ts';

/** What a replay would send, and what it would leave out. */
export interface ReplayPreview {
  /** Deliveries that would be sent again. */
  total: number;
  counts: { endpointId: string; state: ReplayableState; count: number }[];
  skipped: { endpointId: string; reason: ReplaySkip; count: number }[];
}

/** Counts what a replay would come to now; changes nothing. */
export async function previewReplay(
  database: Database,
  merchantId: string,
  filter: ReplayFilter,
): Promise<ReplayPreview> {
  const { endpointId, states, from, until, newIds } = filter;
  const rows = await hot(database).query<{
    endpointId: string;
    state: ReplayableState;
    skip: ReplaySkip | null;
    count: number;
  }>(
    `SELECT d.endpoint_id AS "endpointId", CASE WHEN skip IS NULL THEN d.state END AS state, skip, count(*)::int AS count
     FROM deliveries d
     JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
     LEFT JOIN endpoints p ON p.merchant_id = d.merchant_id AND p.id = d.endpoint_id AND p.deleted_at IS NULL
     CROSS JOIN LATERAL (SELECT ${skipReason} AS skip) verdict
     WHERE d.merchant_id = $1 AND d.created_at >= $5 AND d.created_at < $6
       AND ($7::text IS NULL OR d.endpoint_id = $7) AND ${isMeant}
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [merchantId, states, newIds, null, from, until, endpointId],
  );
  const counts = rows
    .filter(({ skip }) => skip === null)
    .map(({ endpointId: id, state, count }) => ({ endpointId: id, state, count }));
  const skipped = rows.flatMap(({ endpointId: id, skip, count }) =>
    skip === null ? [] : [{ endpointId: id, reason: skip, count }],
  );
  return { total: counts.reduce((sum, { count }) => sum + count, 0), counts, skipped };
}

/**
 * Starts a replay: the sweeper of webhook-delivery sends its deliveries again, oldest first, so many a minute.
 * Returns it with its preview.
 */
export async function createReplay(
  database: Database,
  merchantId: string,
  { perMinute, ...filter }: ReplayFilter & { perMinute: number },
): Promise<{ replay: ReplayRow; preview: ReplayPreview }> {
  const { endpointId, states, from, newIds } = filter;
  const now = new Date();
  // What comes later, its own deliveries included, is not meant.
  const until = filter.until < now ? filter.until : now;
  const preview = await previewReplay(database, merchantId, { ...filter, until });
  const replay = await database.replay.create({
    data: {
      merchantId,
      id: newId('rpl'),
      endpointId,
      states,
      fromTime: from,
      untilTime: until,
      newIds,
      perMinute,
      total: preview.total,
    },
    omit: hidden,
  });
  return { replay, preview };
}

/** Where exactly a replay stands is its own matter. */
const hidden = { merchantId: true, cursorTime: true, cursorId: true } as const;

/** A replay as its merchant sees it. */
export type ReplayRow = NonNullable<Awaited<ReturnType<typeof findReplay>>>;

/** A merchant's replay, or null. */
export function findReplay(database: Database, merchantId: string, id: string) {
  return database.replay.findUnique({ where: { merchantId_id: { merchantId, id } }, omit: hidden });
}

/** A merchant's replays, newest first. */
export function listReplays(
  database: Database,
  merchantId: string,
  { limit }: { limit: number },
): Promise<ReplayRow[]> {
  return database.replay.findMany({
    where: { merchantId },
    omit: hidden,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
  });
}

/** Stops a running replay for now; what it made due already is sent. False when it does not run. */
export function pauseReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return move(database, merchantId, id, ['running'], { state: 'paused' });
}

/** Goes on with a paused replay where it stopped. False when it is not paused. */
export function resumeReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return move(database, merchantId, id, ['paused'], { state: 'running' });
}

/** Ends a replay for good; what it made due already is sent. False when it has ended. */
export function cancelReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return move(database, merchantId, id, ['running', 'paused'], {
    state: 'cancelled',
    finishedAt: new Date(),
  });
}

async function move(
  database: Database,
  merchantId: string,
  id: string,
  from: string[],
  data: { state: string; finishedAt?: Date },
): Promise<boolean> {
  const { count } = await database.replay.updateMany({
    where: { merchantId, id, state: { in: from } },
    data,
  });
  return count === 1;
}

import { instantOf, newId } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { LimitReached } from '../merchants/account-limits.ts';
import { lockMerchant } from '../merchants/merchants.ts';
import type { ReplayState } from '../states.ts';
import { previewReplayWithin } from './preview-replay.ts';
import type { PartialReplayPreview } from './preview-replay.ts';
import type { ReplayableState, ReplayFilter } from './replay-filter.ts';

/** A replay. Its cursor is not part of it. */
export interface ReplayRow {
  id: string;
  /** Null for all endpoints. */
  endpointId: string | null;
  states: ReplayableState[];
  fromTime: Date;
  untilTime: Date;
  newIds: boolean;
  perMinute: number;
  state: ReplayState;
  /** Deliveries that were selected when it was created, and those resent so far. */
  total: number;
  /** False when there are too many to count them at creation: `total` is then the least there are, until it is done. */
  totalComplete: boolean;
  done: number;
  /** When the next batch is due. */
  nextAt: Date;
  createdAt: Date;
  finishedAt: Date | null;
}

/** Milliseconds for which the creation of a replay counts its deliveries. */
export const replayCountMs = 100;

const columns = `id, endpoint_id AS "endpointId", states, from_time AS "fromTime", until_time AS "untilTime",
  new_ids AS "newIds", per_minute AS "perMinute", state, total,
  total_complete AS "totalComplete", done, next_at AS "nextAt", created_at AS "createdAt",
  finished_at AS "finishedAt"`;

/**
 * Starts a replay: webhook-delivery sends the selected deliveries again, oldest first, `perMinute` a minute. At most
 * `maxOpen` replays of a merchant are running or paused. Returns it with its preview, which counts for
 * `countMs`. @throws LimitReached
 */
export async function createReplay(
  database: Database,
  merchantId: string,
  {
    perMinute,
    maxOpen,
    countMs = replayCountMs,
    ...filter
  }: ReplayFilter & { perMinute: number; maxOpen: number; countMs?: number },
): Promise<{ replay: ReplayRow; preview: PartialReplayPreview }> {
  const { endpointId, states, from, newIds } = filter;
  const now = instantOf(new Date());
  // Deliveries that are created later are not selected: among them are those that the replay adds.
  const until = filter.until < now ? filter.until : now;
  await requireReplayLimit(database, merchantId, maxOpen);
  const preview = await previewReplayWithin(database, merchantId, { ...filter, until }, countMs);
  const replay = await transact(database, async (tx) => {
    await lockMerchant(tx, merchantId);
    await requireReplayLimit(tx, merchantId, maxOpen);
    const [inserted] = await tx.query<ReplayRow>(
      `INSERT INTO replays (merchant_id, id, endpoint_id, states, from_time, until_time, new_ids, per_minute, total,
         total_complete)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       RETURNING ${columns}`,
      [
        merchantId,
        newId('rpl'),
        endpointId,
        states,
        from,
        until,
        newIds,
        perMinute,
        preview.total,
        preview.complete,
      ],
    );
    const { perMinute: rate, total, totalComplete } = inserted as ReplayRow;
    await audit(tx, {
      subjectId: inserted?.id ?? null,
      details: { endpointId, states, from, until, newIds, perMinute: rate, total, totalComplete },
    });
    return inserted as ReplayRow;
  });
  return { replay, preview };
}

async function requireReplayLimit(database: Queryable, merchantId: string, maxOpen: number): Promise<void> {
  const [open] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM replays WHERE merchant_id = $1 AND state IN ('running', 'paused')`,
    [merchantId],
  );
  if ((open?.count ?? 0) >= maxOpen)
    throw new LimitReached({ code: 'active_replays', parameters: { limit: maxOpen } });
}

/** A replay of the merchant, or undefined. */
export async function findReplay(
  database: Queryable,
  merchantId: string,
  id: string,
): Promise<ReplayRow | undefined> {
  const [replay] = await database.query<ReplayRow>(
    `SELECT ${columns} FROM replays WHERE merchant_id = $1 AND id = $2`,
    [merchantId, id],
  );
  return replay;
}

/** A merchant's newest replays. */
export function listReplays(
  database: Queryable,
  merchantId: string,
  { limit }: { limit: number },
): Promise<ReplayRow[]> {
  return database.query(
    `SELECT ${columns} FROM replays WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
    [merchantId, limit],
  );
}

/** Pauses a running replay; deliveries that are due already are sent. False when it is not running. */
export function pauseReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return updateState(database, { merchantId, id, from: ['running'], to: 'paused' });
}

/** Resumes a paused replay at its cursor. False when it is not paused. */
export function resumeReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return updateState(database, { merchantId, id, from: ['paused'], to: 'running' });
}

/** Cancels a replay; deliveries that are due already are sent. False when it has ended. */
export function cancelReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return updateState(database, { merchantId, id, from: ['running', 'paused'], to: 'cancelled' });
}

function updateState(
  database: Database,
  change: { merchantId: string; id: string; from: ReplayState[]; to: ReplayState },
): Promise<boolean> {
  return transact(database, async (tx) => {
    const updated = await tx.execute(
      `UPDATE replays SET state = $4, finished_at = CASE $4 WHEN 'cancelled' THEN now() END
       WHERE merchant_id = $1 AND id = $2 AND state = ANY ($3)`,
      [change.merchantId, change.id, change.from, change.to],
    );
    if (updated === 1) await audit(tx);
    return updated === 1;
  });
}

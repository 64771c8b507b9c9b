import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import type { DeliveryAnswer } from '../reads/delivery-progress.ts';
import type { ReplayableState } from './replay-filter.ts';
import { candidateParameters, firstCursor, resendCandidatesSql } from './replay-statements.ts';
import type { ReplayCursor, ResentBatch } from './replay-statements.ts';

/** The result of one batch of a replay. */
export interface ReplayBatch {
  merchantId: string;
  replayId: string;
  /** Deliveries that were made due, or held for a paused or disabled endpoint. */
  resent: number;
  /** Endpoints that have deliveries due now. */
  endpointIds: string[];
  /** Whether it was the last batch. */
  finished: boolean;
}

/** A replay that is locked for its next batch. Times are text: a `Date` would lose the microseconds. */
interface LockedReplay extends ReplayCursor {
  merchantId: string;
  id: string;
  endpointId: string | null;
  states: ReplayableState[];
  answers: DeliveryAnswer[];
  from: string;
  until: string;
  newIds: boolean;
  perMinute: number;
}

const secondsPerMinute = 60;

/** Deliveries that one batch scans: a multiple of those it sends, within bounds. */
const scan = { perResent: 20, atLeast: 500, atMost: 10_000 };

/**
 * Runs the next batch of the replay that has waited longest for it; undefined when none is due. The row of the replay
 * is locked, and locked ones are skipped, so that any number of workers share the work. Batch and cursor are
 * committed together: a worker that is killed in between has changed nothing.
 */
export function runReplayBatch(database: Sql): Promise<ReplayBatch | undefined> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      const replay = await lockDueReplay(tx);
      if (!replay) return undefined;
      if (replay.newIds) await lockNewIds(tx, replay.merchantId);
      await preferIndexes(tx);
      const resendLimit = Math.max(1, Math.floor(replay.perMinute / secondsPerMinute));
      const scanLimit = Math.min(scan.atMost, Math.max(scan.atLeast, resendLimit * scan.perResent));
      const batch = await resendCandidates(tx, replay, scanLimit, resendLimit);
      const finished = batch.scanned < scanLimit && batch.chosen < resendLimit;
      await updateProgress(tx, replay, batch, finished);
      const { merchantId, id: replayId } = replay;
      return { merchantId, replayId, resent: batch.resent, endpointIds: batch.endpointIds, finished };
    }),
  );
}

const lockDueReplaySql = statement<LockedReplay, [firstTime: string, firstId: string]>({
  name: 'lock a replay that is due',
  parameters: ['timestamp with time zone', 'uuid'],
  columns: {
    merchantId: 'text',
    id: 'text',
    endpointId: 'text',
    states: 'text[]',
    answers: 'text[]',
    from: 'text',
    until: 'text',
    newIds: 'boolean',
    perMinute: 'integer',
    cursorTime: 'text',
    cursorId: 'text',
  },
  text: `
    SELECT merchant_id AS "merchantId", id, endpoint_id AS "endpointId", states, answers, from_time::text AS "from",
      until_time::text AS until, new_ids AS "newIds", per_minute AS "perMinute",
      coalesce(cursor_time, $1::timestamptz)::text AS "cursorTime",
      coalesce(cursor_id, $2::uuid)::text AS "cursorId"
    FROM replays
    WHERE state = 'running' AND next_at <= now()
    ORDER BY next_at
    LIMIT 1
    FOR NO KEY UPDATE SKIP LOCKED`,
});

async function lockDueReplay(tx: Queryable): Promise<LockedReplay | undefined> {
  const [replay] = await run(tx, lockDueReplaySql, [firstCursor.cursorTime, firstCursor.cursorId]);
  return replay;
}

const lockNewIdsSql = statement<{ lock: string }, [merchantId: string]>({
  name: 'lock the new ids of replays',
  parameters: ['text'],
  columns: { lock: 'text' },
  text: `SELECT pg_advisory_xact_lock(hashtext('rewardhook replays ' || $1))::text AS lock`,
});

/**
 * Batches of one merchant that add deliveries under new ids run one after the other: the statement after this one sees
 * the deliveries that the batch before has added, and does not add them again.
 */
async function lockNewIds(tx: Queryable, merchantId: string): Promise<void> {
  await run(tx, lockNewIdsSql, [merchantId]);
}

async function resendCandidates(
  tx: Queryable,
  { id, ...replay }: LockedReplay,
  scanLimit: number,
  resendLimit: number,
): Promise<ResentBatch> {
  const parameters = candidateParameters({ ...replay, replayId: id, limit: scanLimit });
  const [batch] = await run(tx, resendCandidatesSql, [...parameters, resendLimit]);
  if (!batch) throw new Error('the batch of a replay returned no row');
  return batch;
}

const updateProgressSql = statement<
  NoRow,
  [
    merchantId: string,
    id: string,
    resent: number,
    cursorTime: string | null,
    cursorId: string | null,
    seconds: number,
    finished: boolean,
  ]
>({
  name: 'store the progress of a replay',
  parameters: ['text', 'text', 'integer', 'timestamp with time zone', 'uuid', 'double precision', 'boolean'],
  columns: {},
  text: `
    UPDATE replays
    SET done = done + $3,
      total = CASE WHEN total_complete THEN total WHEN $7 THEN done + $3 ELSE greatest(total, done + $3) END,
      total_complete = total_complete OR $7,
      cursor_time = coalesce($4::timestamptz, cursor_time),
      cursor_id = coalesce($5::uuid, cursor_id),
      next_at = greatest(next_at, now() - interval '1 second') + make_interval(secs => $6),
      state = CASE WHEN $7 THEN 'done' ELSE state END,
      finished_at = CASE WHEN $7 THEN now() END
    WHERE merchant_id = $1 AND id = $2`,
});

/**
 * Stores the cursor, and when the next batch is due: after the time that `perMinute` allows for what was resent. A
 * batch that found too few deliveries continues at once. After a delay the rate is not exceeded to catch up.
 */
async function updateProgress(
  tx: Queryable,
  { merchantId, id, perMinute }: LockedReplay,
  { resent, cursorTime, cursorId }: ResentBatch,
  finished: boolean,
): Promise<void> {
  const seconds = (resent * secondsPerMinute) / perMinute;
  await run(tx, updateProgressSql, [merchantId, id, resent, cursorTime, cursorId, seconds, finished]);
}

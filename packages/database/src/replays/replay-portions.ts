import { preferIndexes } from '../client/read-in-pages.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { beginning, looked, meant } from './replay-filter.ts';

/** What one step of a replay came to. */
export interface ReplayBatch {
  merchantId: string;
  replayId: string;
  /** Deliveries that were made due, or held for a paused or disabled endpoint. */
  moved: number;
  /** Endpoints that have something to be sent now. */
  endpointIds: string[];
  /** Whether that was the end of it. */
  finished: boolean;
}

/** A replay that is locked for its next portion. Times are text: a `Date` would lose the microseconds. */
interface Step {
  merchantId: string;
  id: string;
  endpointId: string | null;
  states: string[];
  from: string;
  until: string;
  newIds: boolean;
  perMinute: number;
  cursorTime: string;
  cursorId: string;
}

interface Moved {
  moved: number;
  endpointIds: string[];
  cursorTime: string | null;
  cursorId: string | null;
  looked: number;
  chosen: number;
}

const secondsPerMinute = 60;
/** Deliveries that are looked at in one transaction, whatever they are: some times what is taken, within bounds. */
const looks = { perTaken: 20, least: 500, most: 10_000 };

/**
 * Deals with the next portion of the replay that has waited longest for it; undefined when none is due. The replay's
 * row is locked and those that others work on are passed by, so that any number of workers share the work. Portion and
 * place are committed together: whoever dies in between has done nothing.
 */
export function runReplayBatch(database: Database): Promise<ReplayBatch | undefined> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      const step = await lockNext(tx);
      if (!step) return undefined;
      if (step.newIds) await waitForOthers(tx, step.merchantId);
      await preferIndexes(tx);
      const most = Math.max(1, Math.floor(step.perMinute / secondsPerMinute));
      const look = Math.min(looks.most, Math.max(looks.least, most * looks.perTaken));
      const moved = await moveOn(tx, step, look, most);
      const finished = moved.looked < look && moved.chosen < most;
      await keepPlace(tx, step, moved, finished);
      const { merchantId, id: replayId } = step;
      return { merchantId, replayId, moved: moved.moved, endpointIds: moved.endpointIds, finished };
    }),
  );
}

async function lockNext(tx: Queryable): Promise<Step | undefined> {
  const [step] = await tx.query<Step>(
    `SELECT merchant_id AS "merchantId", id, endpoint_id AS "endpointId", states, from_time::text AS "from",
       until_time::text AS until, new_ids AS "newIds", per_minute AS "perMinute",
       coalesce(cursor_time, $1::timestamptz)::text AS "cursorTime", coalesce(cursor_id, $2::uuid)::text AS "cursorId"
     FROM replays WHERE state = 'running' AND next_at <= now()
     ORDER BY next_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
    [beginning.cursorTime, beginning.cursorId],
  );
  return step;
}

/**
 * Under new ids the portions of a merchant go one after the other: the statement after this one then sees what the one
 * before has made due, and does not double it.
 */
async function waitForOthers(tx: Queryable, merchantId: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtext('rewardhook replays ' || $1))", [merchantId]);
}

/**
 * Takes the next deliveries behind the cursor, at most `most` of at most `look`. Before they move, their events and
 * then they themselves are locked and looked at once more: what is being erased is waited for and left out, and what
 * somebody else has made pending too. Everything goes by keys, whatever the planner believes (decision 010).
 */
async function moveOn(tx: Queryable, step: Step, look: number, most: number): Promise<Moved> {
  const values = [step.merchantId, step.states, step.newIds, step.id, step.from, step.until, step.endpointId];
  const [moved] = await tx.query<Moved>(
    `WITH ${looked}, chosen AS MATERIALIZED (
       SELECT d.id, d.created_at, d.event_id, d.endpoint_id,
         CASE WHEN p.paused_at IS NULL AND p.disabled_at IS NULL THEN 'pending' ELSE 'held' END AS state
       ${meant} AND skip IS NULL
       ORDER BY d.created_at, d.id LIMIT $11
     ), taken AS MATERIALIZED (
       SELECT c.* FROM chosen c
       CROSS JOIN LATERAL (SELECT erased_at FROM events WHERE merchant_id = $1 AND id = c.event_id FOR SHARE) e
       CROSS JOIN LATERAL (SELECT 1 FROM deliveries
         WHERE merchant_id = $1 AND id = c.id AND state = ANY($2) FOR NO KEY UPDATE) d
       WHERE e.erased_at IS NULL OR $3
     ), moved AS (${step.newIds ? insertAnew : makeDueAgain}),
     counted AS (SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT count(*)::int FROM chosen) AS chosen)
     SELECT looked, chosen, (SELECT count(*)::int FROM moved) AS moved,
       ARRAY(SELECT DISTINCT endpoint_id FROM moved WHERE state = 'pending') AS "endpointIds",
       last.created_at::text AS "cursorTime", last.id::text AS "cursorId"
     FROM counted LEFT JOIN LATERAL (
       SELECT id, created_at FROM chosen WHERE counted.chosen = $11
       UNION ALL SELECT id, created_at FROM looked WHERE counted.chosen < $11
       ORDER BY created_at DESC, id DESC LIMIT 1) last ON true`,
    [...values, step.cursorTime, step.cursorId, look, most],
  );
  if (!moved) throw new Error('a portion of a replay came to nothing');
  return moved;
}

const makeDueAgain = `
  UPDATE deliveries d SET state = taken.state, schedule_step = 0, finished_at = NULL,
    next_attempt_at = CASE taken.state WHEN 'pending' THEN now() END
  FROM taken WHERE d.id = taken.id RETURNING d.endpoint_id, d.state`;

const insertAnew = `
  INSERT INTO deliveries (id, merchant_id, event_id, endpoint_id, replay_id, state, next_attempt_at)
  SELECT gen_random_uuid(), $1, event_id, endpoint_id, $4, state, CASE state WHEN 'pending' THEN now() END FROM taken
  ORDER BY created_at, id ON CONFLICT DO NOTHING RETURNING endpoint_id, state`;

/**
 * Keeps the place, and says when the next portion is due: as long from the last one as the pace gives to what was
 * taken. A look that found too little goes on at once. Time that was lost is not made up for by a burst.
 */
async function keepPlace(tx: Queryable, step: Step, moved: Moved, finished: boolean): Promise<void> {
  await tx.query(
    `UPDATE replays SET done = done + $3, cursor_time = coalesce($4::timestamptz, cursor_time),
       cursor_id = coalesce($5::uuid, cursor_id),
       next_at = greatest(next_at, now() - interval '1 second') + make_interval(secs => $6),
       state = CASE WHEN $7 THEN 'done' ELSE state END, finished_at = CASE WHEN $7 THEN now() END
     WHERE merchant_id = $1 AND id = $2`,
    [
      step.merchantId,
      step.id,
      moved.moved,
      moved.cursorTime,
      moved.cursorId,
      (moved.moved * secondsPerMinute) / step.perMinute,
      finished,
    ],
  );
}

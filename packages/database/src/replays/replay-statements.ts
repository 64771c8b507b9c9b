import { statement } from '../client/statement.ts';
import type { ReplayableState, ReplayFilter, ReplaySkip } from './replay-filter.ts';

/*
 * The two statements that scan the deliveries of a replay: one counts them, one sends a batch of them again. Both scan the same
 * candidates. Every look-up is a LATERAL by key with OFFSET 0, so that the plan does not depend on statistics (decision 010).
 */

/** The position of the scan of a replay. The time is text: a `Date` would lose the microseconds. */
export interface ReplayCursor {
  cursorTime: string;
  cursorId: string;
}

/** What both statements get. The cursor is the last delivery that was scanned. */
type ScanValues = [
  merchantId: string,
  states: string[],
  newIds: boolean,
  replayId: string | null,
  from: string,
  until: string,
  endpointId: string | null,
  cursorTime: string,
  cursorId: string,
  mostToScan: number,
  answers: string[],
];

/** Deliveries of one endpoint and state, and why they are skipped; null when they are sent again. */
export interface CandidateCount {
  endpointId: string;
  state: ReplayableState;
  skip: ReplaySkip | null;
  count: number;
}

/** Counts the candidates by endpoint, state and reason to skip them. */
export const countCandidatesSql = statement<
  { counts: CandidateCount[]; scanned: number } & ReplayCursor,
  ScanValues
>({
  name: 'count the deliveries of a replay',
  parameters: [
    'text',
    'text[]',
    'boolean',
    'text',
    'timestamp with time zone',
    'timestamp with time zone',
    'text',
    'timestamp with time zone',
    'uuid',
    'bigint',
    'text[]',
  ],
  columns: { counts: 'jsonb', scanned: 'integer', cursorTime: 'text', cursorId: 'text' },
  text: `
    WITH scanned AS MATERIALIZED (
      -- The next deliveries of the range after the cursor, in any state.
      SELECT * FROM deliveries
      WHERE merchant_id = $1
        AND created_at >= $5::timestamptz AND created_at < $6::timestamptz
        AND ($7::text IS NULL OR endpoint_id = $7)
        AND (created_at, id) > ($8::timestamptz, $9::uuid)
      ORDER BY created_at, id
      LIMIT $10
    ), candidates AS (
      -- Those that the filter selects or that wait, and why one is skipped; null when it is sent again. A test event is never selected,
      -- nor is a delivery that this replay has added.
      SELECT d.id, d.created_at, d.event_id, e.created_at AS event_created_at, d.endpoint_id, d.state,
        CASE WHEN p.holds_deliveries THEN 'held' ELSE 'pending' END AS next_state,
        CASE
          -- It is sent anyway.
          WHEN d.state = 'pending' THEN 'pending'
          WHEN p.id IS NULL THEN 'endpoint_deleted'
          -- The body of a delivery never changes: after an erasure the event needs a new delivery id.
          WHEN e.erased_at IS NOT NULL AND NOT $3::boolean THEN 'event_erased'
          WHEN e.expires_at <= now() THEN 'event_expired'
          -- A new delivery would duplicate one that is still to be sent.
          WHEN $3::boolean AND EXISTS (
            SELECT 1 FROM deliveries o
            WHERE o.merchant_id = d.merchant_id AND o.event_id = d.event_id AND o.endpoint_id = d.endpoint_id
              AND o.state IN ('pending', 'held')
          ) THEN 'still_waiting'
        END AS skip
      FROM scanned d
      CROSS JOIN LATERAL (
        SELECT * FROM events WHERE merchant_id = $1 AND id = d.event_id AND events.created_at = d.event_created_at OFFSET 0
      ) e
      LEFT JOIN LATERAL (
        SELECT * FROM endpoints WHERE merchant_id = $1 AND id = d.endpoint_id AND deleted_at IS NULL OFFSET 0
      ) p ON true
      WHERE (d.state = ANY($2) OR d.state = 'pending') AND d.replay_id IS DISTINCT FROM $4 AND e.type <> 'webhook.ping' AND NOT e.sample
        AND (cardinality($11::text[]) = 0 OR (d.last_status / 100)::text || 'xx' = ANY($11) OR d.last_status::text = ANY($11)
          OR d.last_error_class = ANY($11) OR 'none' = ANY($11) AND d.last_attempt_at IS NOT NULL AND d.last_status IS NULL)
    ), counted AS (
      SELECT endpoint_id AS "endpointId", state, skip, count(*)::int AS count FROM candidates GROUP BY 1, 2, 3
    )
    SELECT coalesce((SELECT jsonb_agg(counted) FROM counted), '[]') AS counts,
      (SELECT count(*)::int FROM scanned) AS scanned,
      last.created_at::text AS "cursorTime", last.id::text AS "cursorId"
    FROM (SELECT 1) one
    LEFT JOIN LATERAL (SELECT * FROM scanned ORDER BY created_at DESC, id DESC LIMIT 1) last ON true`,
});

/** The result of one batch. */
export interface ResentBatch {
  scanned: number;
  chosen: number;
  resent: number;
  endpointIds: string[];
  cursorTime: string | null;
  cursorId: string | null;
}

/**
 * Sends the next candidates again: makes them due under their old ids, or adds deliveries under new ids. The cursor
 * that it returns is the last delivery that was processed.
 */
export const resendCandidatesSql = statement<ResentBatch, [...scan: ScanValues, mostToResend: number]>({
  name: 'send deliveries of a replay again',
  parameters: [
    'text',
    'text[]',
    'boolean',
    'text',
    'timestamp with time zone',
    'timestamp with time zone',
    'text',
    'timestamp with time zone',
    'uuid',
    'bigint',
    'text[]',
    'bigint',
  ],
  columns: {
    scanned: 'integer',
    chosen: 'integer',
    resent: 'integer',
    endpointIds: 'text[]',
    cursorTime: 'text',
    cursorId: 'text',
  },
  text: `
    WITH scanned AS MATERIALIZED (
      -- The next deliveries of the range after the cursor, in any state.
      SELECT * FROM deliveries
      WHERE merchant_id = $1
        AND created_at >= $5::timestamptz AND created_at < $6::timestamptz
        AND ($7::text IS NULL OR endpoint_id = $7)
        AND (created_at, id) > ($8::timestamptz, $9::uuid)
      ORDER BY created_at, id
      LIMIT $10
    ), candidates AS (
      -- Those that the filter selects, and why one is skipped; null when it is sent again. A test event is never selected,
      -- nor is a delivery that this replay has added.
      SELECT d.id, d.created_at, d.event_id, e.created_at AS event_created_at, d.endpoint_id, d.promised, d.state,
        CASE WHEN p.holds_deliveries THEN 'held' ELSE 'pending' END AS next_state,
        CASE
          WHEN p.id IS NULL THEN 'endpoint_deleted'
          -- The body of a delivery never changes: after an erasure the event needs a new delivery id.
          WHEN e.erased_at IS NOT NULL AND NOT $3::boolean THEN 'event_erased'
          WHEN e.expires_at <= now() THEN 'event_expired'
          -- A new delivery would duplicate one that is still to be sent.
          WHEN $3::boolean AND EXISTS (
            SELECT 1 FROM deliveries o
            WHERE o.merchant_id = d.merchant_id AND o.event_id = d.event_id AND o.endpoint_id = d.endpoint_id
              AND o.state IN ('pending', 'held')
          ) THEN 'still_waiting'
        END AS skip
      FROM scanned d
      CROSS JOIN LATERAL (
        SELECT * FROM events WHERE merchant_id = $1 AND id = d.event_id AND events.created_at = d.event_created_at OFFSET 0
      ) e
      LEFT JOIN LATERAL (
        SELECT * FROM endpoints WHERE merchant_id = $1 AND id = d.endpoint_id AND deleted_at IS NULL OFFSET 0
      ) p ON true
      WHERE d.state = ANY($2) AND d.replay_id IS DISTINCT FROM $4 AND e.type <> 'webhook.ping' AND NOT e.sample
        AND (cardinality($11::text[]) = 0 OR (d.last_status / 100)::text || 'xx' = ANY($11) OR d.last_status::text = ANY($11)
          OR d.last_error_class = ANY($11) OR 'none' = ANY($11) AND d.last_attempt_at IS NOT NULL AND d.last_status IS NULL)
    ), chosen AS MATERIALIZED (
      SELECT id, created_at, event_id, event_created_at, endpoint_id, promised, next_state FROM candidates WHERE skip IS NULL
      ORDER BY created_at, id
      LIMIT $12
    ), locked AS MATERIALIZED (
      -- Locks first the events, then the deliveries, and checks both again. An erasure in progress is waited for, and its
      -- event left out; so is a delivery that was made due meanwhile.
      SELECT c.* FROM chosen c
      CROSS JOIN LATERAL (
        SELECT erased_at FROM events
        WHERE merchant_id = $1 AND id = c.event_id AND created_at = c.event_created_at FOR SHARE
      ) e
      CROSS JOIN LATERAL (
        SELECT 1 FROM deliveries WHERE merchant_id = $1 AND id = c.id AND state = ANY($2) FOR NO KEY UPDATE
      ) d
      WHERE e.erased_at IS NULL OR $3
    ), restarted AS (
      UPDATE deliveries d
      SET state = locked.next_state, schedule_step = 0, finished_at = NULL,
        next_attempt_at = CASE locked.next_state WHEN 'pending' THEN now() END, leased_until = NULL
      FROM locked
      WHERE NOT $3 AND d.id = locked.id AND d.merchant_id IS NOT DISTINCT FROM $1
      RETURNING d.endpoint_id, d.state
    ), added AS (
      INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, replay_id, state, next_attempt_at,
        promised)
      SELECT rules.delivery_id($1, event_id, endpoint_id, $4), $1, event_id, event_created_at, endpoint_id, $4, next_state,
        CASE next_state WHEN 'pending' THEN now() END, promised
      FROM locked
      WHERE $3
      ORDER BY created_at, id
      ON CONFLICT DO NOTHING
      RETURNING endpoint_id, state
    ), resent AS (
      SELECT * FROM restarted UNION ALL SELECT * FROM added
    ), counts AS (
      SELECT (SELECT count(*)::int FROM scanned) AS scanned, (SELECT count(*)::int FROM chosen) AS chosen
    )
    SELECT counts.scanned, counts.chosen, (SELECT count(*)::int FROM resent) AS resent,
      ARRAY(SELECT DISTINCT endpoint_id FROM resent WHERE state = 'pending') AS "endpointIds",
      last.created_at::text AS "cursorTime", last.id::text AS "cursorId"
    FROM counts
    LEFT JOIN LATERAL (
      -- A full batch ends at its last delivery; otherwise everything that was scanned has been processed.
      SELECT id, created_at FROM chosen WHERE counts.chosen = $12
      UNION ALL
      SELECT id, created_at FROM scanned WHERE counts.chosen < $12
      ORDER BY created_at DESC, id DESC
      LIMIT 1
    ) last ON true`,
});

/** The cursor before the first delivery. */
export const firstCursor: ReplayCursor = {
  cursorTime: '-infinity',
  cursorId: '00000000-0000-0000-0000-000000000000',
};

/** What a scan selects, and from where it continues. Times as text keep their microseconds. */
export interface CandidateScan extends ReplayCursor, Omit<ReplayFilter, 'from' | 'until'> {
  merchantId: string;
  /** Null in a preview. */
  replayId: string | null;
  from: string;
  until: string;
  /** Most deliveries to scan. */
  limit: number;
}

/** The parameters that both statements have. */
export function candidateParameters(scan: CandidateScan): ScanValues {
  return [
    scan.merchantId,
    scan.states,
    scan.newIds,
    scan.replayId,
    scan.from,
    scan.until,
    scan.endpointId,
    scan.cursorTime,
    scan.cursorId,
    scan.limit,
    scan.answers,
  ];
}

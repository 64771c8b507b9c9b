import type { Queryable } from '../client/client.ts';
import { isDue } from '../deliveries/next-attempt.ts';

/** The work that waits in the database. Ages are in seconds, 0 when nothing waits. */
export interface WaitingWork {
  /** Orders that are due for evaluation. */
  ordersDue: number;
  ordersDueSeconds: number;
  /** Orders whose evaluation is parked. */
  ordersParked: number;
  /** Deliveries that are due and whose endpoint can be sent to: at most 1,000 of each endpoint are counted. */
  deliveriesDue: number;
  deliveriesDueSeconds: number;
  /** Endpoints with a delivery that has been due for over a minute. */
  endpointsOverdue: number;
  endpointsParked: number;
}

/** Deliveries of one endpoint that are counted. */
const countedPerEndpoint = 1_000;

/**
 * Reads only what waits, by the indexes that the workers use. A delivery to an endpoint that backs off counts as due from
 * the end of the backoff.
 */
const waitingWorkSql = `
  SELECT evaluation.*, delivery.*, (SELECT count(*)::float8 FROM endpoints WHERE parked_at IS NOT NULL AND deleted_at IS NULL) AS "endpointsParked"
  FROM (
    SELECT coalesce(sum(orders) FILTER (WHERE parked_at IS NULL), 0)::float8 AS "ordersDue",
      coalesce(extract(epoch FROM clock_timestamp() - min(due_since) FILTER (WHERE parked_at IS NULL)), 0)::float8
        AS "ordersDueSeconds",
      coalesce(sum(orders) FILTER (WHERE parked_at IS NOT NULL), 0)::float8 AS "ordersParked"
    FROM due_batches
  ) evaluation, (
    SELECT coalesce(sum(due.count), 0)::float8 AS "deliveriesDue",
      coalesce(extract(epoch FROM clock_timestamp() - min(due.since)), 0)::float8 AS "deliveriesDueSeconds",
      count(*) FILTER (WHERE due.since < now() - interval '1 minute')::float8 AS "endpointsOverdue"
    FROM endpoints p
    CROSS JOIN LATERAL (
      SELECT count(*) AS count, min(greatest(next_attempt_at, p.send_after)) AS since
      FROM (
        SELECT next_attempt_at FROM deliveries d
        WHERE d.endpoint_id = p.id AND ${isDue}
        ORDER BY next_attempt_at LIMIT ${countedPerEndpoint}
      ) waiting
    ) due
    WHERE p.sendable AND (p.send_after IS NULL OR p.send_after <= now())
  ) delivery`;

/** Reads the work that waits. */
export async function readWaitingWork(database: Queryable): Promise<WaitingWork> {
  const [work] = await database.query<WaitingWork & Record<string, number>>(waitingWorkSql);
  if (!work) throw new Error('the counts returned no row');
  return work;
}

import type { Sql } from '../client/client.ts';
import { runInTransaction, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';

/**
 * An invalid field: its path, the code of the field error, and those of its parameters that are not a text of the client. An unknown
 * field has the path of its object; `''` is the request itself.
 */
export interface RecordedError extends Record<string, string | number> {
  path: string;
  code: string;
}

/** A request that was answered, to be stored. */
export interface NewRequest {
  merchantId: string;
  keyId: string;
  /** When it was answered; milliseconds since 1970. */
  at: number;
  /** The method and the pattern of the path. */
  route: string;
  status: number;
  /** The error code; null when it was not refused. */
  code: string | null;
  /** Bytes of the body. */
  size: number | null;
  durationMs: number;
  requestId: string;
  errors: RecordedError[];
  orderIds: string[];
  /** The kinds of the warnings of the answer. */
  warnings: string[];
}

/** The requests of a quarter-hour that were refused with a code. */
export interface RefusedCount {
  merchantId: string;
  /** The start of the quarter-hour; milliseconds since 1970. */
  startsAt: number;
  route: string;
  code: string;
  /** As this process counted them so far. */
  total: number;
}

/** $1 requests, $2 counts, $3 the writer of the counts. */
const insertSql = statement<NoRow, [string, string, string]>({
  name: 'insert requests',
  parameters: ['json', 'json', 'text'],
  columns: {},
  text: `
    WITH counted AS (
      INSERT INTO request_counts (merchant_id, starts_at, route, code, writer, total)
      SELECT "merchantId", to_timestamp("startsAt" / 1000), route, code, $3, total
      FROM json_to_recordset($2::json) AS c ("merchantId" text, "startsAt" float8, route text, code text, total int)
      ORDER BY 1, 2, 3, 4
      ON CONFLICT (merchant_id, starts_at, route, code, writer) DO UPDATE SET total = excluded.total
    )
    INSERT INTO requests (
      merchant_id, at, route, status, code, key_id, size, duration_ms, request_id, errors, order_ids, warnings)
    SELECT "merchantId", to_timestamp(at / 1000), route, status, code, "keyId", size, "durationMs", "requestId", errors,
      "orderIds", warnings
    FROM json_to_recordset($1::json) AS r (
      "merchantId" text, at float8, route text, status int, code text, "keyId" text, size int, "durationMs" float8,
      "requestId" text, errors jsonb, "orderIds" text[], warnings text[])`,
});

/**
 * Stores requests and counts. The counts of a writer, a process with a random id, replace those that it stored for the same quarter-hour:
 * what is stored again after a lost answer counts once. A crash of PostgreSQL can undo the last second.
 * @throws when PostgreSQL is unavailable; they may be stored all the same
 */
export async function insertRequests(
  database: Sql,
  writer: string,
  requests: readonly NewRequest[],
  counts: readonly RefusedCount[],
): Promise<void> {
  const values: [string, string, string] = [JSON.stringify(requests), JSON.stringify(counts), writer];
  await runInTransaction(database, insertSql, values, { durable: false });
}

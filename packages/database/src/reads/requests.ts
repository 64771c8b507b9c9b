import { describeFieldError, isUuid } from '@rewardhook/contract';
import type { FieldError } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { quarterOf } from '../client/quarter-of.ts';
import type { RecordedError } from '../requests/insert-requests.ts';
import { listPage, mostExamined, openConditions } from './list-page.ts';
import type { ListPage, ListQuery, PageRequest } from './list-page.ts';

/** A request that the API answered. `at` is ISO 8601 in UTC. */
export interface RequestRow {
  id: string;
  at: string;
  /** The method and the pattern of the path, such as `POST /api/open/orders/sync`. */
  route: string;
  status: number;
  /** The error code; null when it was not refused. */
  code: string | null;
  key_id: string;
  key_name: string | null;
  /** Bytes of the body; null when the client announced none. */
  size: number | null;
  duration_ms: number;
  request_id: string;
  /** Number of invalid fields that are stored. */
  error_count: number;
  /** The kinds of the warnings of the answer. */
  warnings: string[];
}

/** A request with its invalid fields and the ids of their orders, up to 20 of each. */
export interface RequestDetails extends RequestRow {
  /** `message` is the text of the answer. An unknown field has the path of its object; `''` is the request itself. */
  errors: { path: string; code: string; message: string }[];
  order_ids: string[];
}

/** Which requests to list. An omitted field selects all. */
export interface RequestSearch {
  requestId?: string | undefined;
  code?: string | undefined;
  /** Whether the request was refused. */
  refused?: boolean | undefined;
  status?: number | undefined;
  route?: string | undefined;
  keyId?: string | undefined;
  /** A kind of warnings, or `any`. */
  warning?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

const columns = `r.id, rules.iso_utc(r.at) AS at, r.route, r.status, r.code, r.key_id,
  (SELECT name FROM api_keys k WHERE k.merchant_id = r.merchant_id AND k.id = r.key_id) AS key_name,
  r.size, r.duration_ms, r.request_id, jsonb_array_length(r.errors) AS error_count, r.warnings`;

/** A page of the requests of a merchant, newest first. @throws CursorError */
export const listRequestsPage = (
  database: Sql,
  merchantId: string,
  search: RequestSearch,
  page: PageRequest,
): Promise<ListPage<RequestRow>> =>
  listPage(database, requestsQuery(merchantId, search), { ...page, bounded: true });

/** The list of requests. Of the id, the code and warnings, an index answers the first one that is given, in the order of the list. */
export function requestsQuery(
  merchantId: string,
  { requestId, code, refused, status, route, keyId, warning, from: start, until }: RequestSearch,
): ListQuery {
  const conditions = openConditions(merchantId);
  conditions.add('r.request_id = ?', requestId);
  if (requestId === undefined) conditions.add('r.code = ?', code);
  else conditions.addFilter('r.code = ?', code);
  conditions.add('r.at >= ?', start);
  conditions.add('r.at < ?', until);
  conditions.addFilter('(r.code IS NOT NULL) = ?', refused);
  conditions.addFilter('r.status = ?', status);
  conditions.addFilter('r.route = ?', route);
  conditions.addFilter('r.key_id = ?', keyId);
  if (warning === 'any') conditions.addFilter('cardinality(r.warnings) >= ?', 1);
  else conditions.addFilter('r.warnings @> ARRAY[?::text]', warning);
  const { sql, filter, values } = conditions;
  const isIndexed = requestId !== undefined || code !== undefined;
  const warned = warning !== undefined && !isIndexed ? ` AND r.warnings <> '{}'` : '';
  const from = `FROM requests r WHERE r.merchant_id = $1${warned}${sql}`;
  return { columns, from, filter, values, time: 'r.at', id: 'r.id', idType: 'uuid', byIndex: true };
}

/** A request of the merchant; undefined when there is none. */
export async function findRequest(
  database: Queryable,
  merchantId: string,
  id: string,
): Promise<RequestDetails | undefined> {
  if (!isUuid(id)) return undefined;
  const [found] = await database.query<Omit<RequestDetails, 'errors'> & { errors: RecordedError[] }>(
    `SELECT ${columns}, r.errors, r.order_ids FROM requests r WHERE r.merchant_id = $1 AND r.id = $2::uuid`,
    [merchantId, id],
  );
  return found && { ...found, errors: found.errors.map(describeRecordedError) };
}

const describeRecordedError = ({ path, code, ...parameters }: RecordedError) => ({
  path,
  code,
  message: describeFieldError({ code, parameters } as unknown as FieldError),
});

/** How many requests were refused with a code, in the last 24 hours and 7 days. */
export interface RefusedRequestsRow {
  route: string;
  code: string;
  day: number;
  week: number;
}

/** The times since which {@link RefusedRequestsRow} counts, ISO 8601 in UTC, and the rows, most frequent first. */
export interface RefusedRequestCounts {
  day_since: string;
  week_since: string;
  counts: RefusedRequestsRow[];
}

const since = (age: string) => quarterOf(`clock_timestamp() - interval '${age}'`);

/** Counts the refused requests of a merchant by route and code. Both spans begin with a quarter-hour. */
export async function countRefusedRequests(
  database: Queryable,
  merchantId: string,
): Promise<RefusedRequestCounts> {
  const [found] = await database.query<RefusedRequestCounts>(
    `WITH span AS MATERIALIZED (SELECT ${since('24 hours')} AS day, ${since('7 days')} AS week), sums AS (
       SELECT route, code, coalesce(sum(total) FILTER (WHERE starts_at >= day), 0)::float8 AS day, sum(total)::float8 AS week
       FROM request_counts, span WHERE merchant_id = $1 AND starts_at >= week GROUP BY route, code
     )
     SELECT rules.iso_utc(day) AS day_since, rules.iso_utc(week) AS week_since,
       coalesce((SELECT json_agg(s ORDER BY s.week DESC, s.route, s.code) FROM sums s), '[]') AS counts
     FROM span`,
    [merchantId],
  );
  return found as RefusedRequestCounts;
}

/** What the newest requests of a merchant can be filtered by: their routes, and its keys. */
export const listRequestFilters = (
  database: Sql,
  merchantId: string,
): Promise<{ routes: string[]; keys: { id: string; name: string }[] }> =>
  transact(database, async (tx) => {
    await preferIndexes(tx);
    const newest = tx.query<{ route: string }>(
      `SELECT DISTINCT route FROM (
         SELECT route FROM requests WHERE merchant_id = $1 ORDER BY at DESC, id DESC LIMIT ${mostExamined}) newest
       ORDER BY route`,
      [merchantId],
    );
    const ofMerchant = tx.query<{ id: string; name: string }>(
      'SELECT id, name FROM api_keys WHERE merchant_id = $1 ORDER BY created_at DESC, id',
      [merchantId],
    );
    const [routes, keys] = await Promise.all([newest, ofMerchant]);
    return { routes: routes.map(({ route }) => route), keys };
  });

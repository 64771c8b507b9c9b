import type { Sql, Queryable } from '../client/client.ts';
import type { ReplayableState } from '../replays/replay-filter.ts';
import type { ReplayState } from '../states.ts';
import { listPage, openConditions } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** A replay. Date-times are ISO 8601 in UTC. */
export interface ReplayListRow {
  id: string;
  endpoint_id: string | null;
  states: ReplayableState[];
  /** Answers to their last attempts; empty for all. */
  answers: string[];
  from: string;
  until: string;
  new_ids: boolean;
  per_minute: number;
  state: ReplayState;
  total: number;
  /** Whether all were counted. If not, `total` is the least there are. */
  total_complete: boolean;
  done: number;
  created_at: string;
  finished_at: string | null;
}

const columns = `id, endpoint_id, states, answers, rules.iso_utc(from_time) AS "from", rules.iso_utc(until_time) AS "until",
  new_ids, per_minute, state, total, total_complete, done, rules.iso_utc(created_at) AS created_at,
  rules.iso_utc(finished_at) AS finished_at`;

/**
 * A page of a merchant's replays, newest first; with `endpointId` only those of this endpoint and of all endpoints.
 * @throws CursorError
 */
export function listReplaysPage(
  database: Sql,
  merchantId: string,
  { endpointId }: { endpointId?: string | undefined },
  page: PageRequest,
): Promise<ListPage<ReplayListRow>> {
  const conditions = openConditions(merchantId);
  conditions.add('(endpoint_id = ? OR endpoint_id IS NULL)', endpointId);
  const { sql, values } = conditions;
  const from = `FROM replays WHERE merchant_id = $1${sql}`;
  return listPage(database, { columns, from, values, time: 'replays.created_at', id: 'id' }, page);
}

/** A replay of the merchant, or undefined. */
export async function findReplayDetails(
  database: Queryable,
  merchantId: string,
  id: string,
): Promise<ReplayListRow | undefined> {
  const [found] = await database.query<ReplayListRow>(
    `SELECT ${columns} FROM replays WHERE merchant_id = $1 AND id = $2`,
    [merchantId, id],
  );
  return found;
}

import { isUuid } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import type { Sql } from '../client/client.ts';
import { nextAttemptAt } from '../deliveries/next-attempt.ts';
import { textArray } from '../client/sql-arrays.ts';
import { resolveMember } from '../members/aliases.ts';
import { listPage, openConditions, takePage } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** A delivery as the API answers with it, under the names of the columns. */
export type DeliveryRow = Omit<Answer<'DeliveryListItem'>, 'webhook_id' | 'url' | 'last_error'> & {
  endpoint_id: string;
  endpoint_url: string;
  last_error_class: Answer<'DeliveryListItem'>['last_error'];
};

export interface DeliverySearch {
  state?: string | undefined;
  endpointId?: string | undefined;
  eventType?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  /** The complete id of a delivery, an event, an order or a member, who may be given by a former id. */
  search?: string | undefined;
}

const columns = `d.id::text, d.state, d.event_id, e.type AS event_type, d.endpoint_id, p.url AS endpoint_url,
  w.order_id, w.member_id, d.attempts_made, a.status AS last_status, a.error_class AS last_error_class,
  rules.iso_utc(a.started_at) AS last_attempt_at, rules.iso_utc(d.created_at) AS created_at,
  rules.iso_utc(${nextAttemptAt}) AS next_attempt_at, rules.iso_utc(d.finished_at) AS finished_at,
  nullif(d.replay_id, '') AS replay_id`;

/**
 * Every look-up of a row names the time of its partition, so that one partition is read, not all: an attempt starts between
 * the creation and the end of its delivery, but the clocks of the processes differ.
 */
const joins = `LEFT JOIN LATERAL (
    SELECT * FROM events WHERE merchant_id = d.merchant_id AND id = d.event_id AND events.created_at = d.event_created_at OFFSET 0
  ) e ON true
  LEFT JOIN endpoints p ON p.id = d.endpoint_id AND p.merchant_id = d.merchant_id
  LEFT JOIN rewards w ON w.merchant_id = e.merchant_id AND w.id = e.reward_id
  LEFT JOIN LATERAL (
    SELECT status, error_class, started_at FROM attempts
    WHERE delivery_id = d.id AND started_at >= d.created_at - interval '1 day'
      AND started_at <= coalesce(d.finished_at, 'infinity') + interval '1 day'
    ORDER BY number DESC LIMIT 1
  ) a ON true`;
const ofMerchant = 'FROM deliveries d WHERE d.merchant_id = $1';
const ofMerchantJoined = `FROM deliveries d ${joins} WHERE d.merchant_id = $1`;

/** The most events, revoked rewards or deliveries by whose ids deliveries are found. */
const fewEvents = 1_000;

const eventsWithoutReward = `SELECT id FROM events WHERE merchant_id = $1 AND reward_id IS NULL AND type = $2
  LIMIT ${fewEvents + 1}`;

/**
 * The ids of a merchant's events of a type, one row more than `fewEvents` if there may be many; $1 merchant id, $2 type.
 * Revocations are about revoked rewards, or are samples about no reward, and what is neither an issue nor a revocation is
 * about no reward: both have an index. Otherwise few deliveries of the type would be searched among all of them. A revoked reward whose event was
 * deleted is a row of null: it counts, because the limit is one of rewards.
 */
const eventsOfTypeSql = (type: string) =>
  type === 'reward.revoke'
    ? `SELECT e.id FROM (
         SELECT id FROM rewards WHERE merchant_id = $1 AND state = 'revoked' LIMIT ${fewEvents + 1}
       ) w
       LEFT JOIN LATERAL (
         SELECT id FROM events WHERE merchant_id = $1 AND reward_id = w.id AND type = $2 OFFSET 0) e ON true
       UNION ALL
       (${eventsWithoutReward})`
    : eventsWithoutReward;

async function listEventsOfRareType(
  database: Sql,
  merchantId: string,
  type: string | undefined,
): Promise<string[] | undefined> {
  if (type === undefined || type === 'reward.issue') return undefined;
  const events = await database.query<{ id: string | null }>(eventsOfTypeSql(type), [merchantId, type]);
  return events.length > fewEvents ? undefined : events.flatMap(({ id }) => id ?? []);
}

/** The ids of a merchant's pending deliveries, one more than `fewEvents` if there are many; $1 merchant id. */
const pendingSql = `SELECT d.id::text FROM endpoints p
  CROSS JOIN LATERAL (SELECT id FROM deliveries WHERE endpoint_id = p.id AND state = 'pending' OFFSET 0) d
  WHERE p.merchant_id = $1 LIMIT ${fewEvents + 1}`;

/** The ids of the events about an order or a member, one more than `fewEvents` if there may be many; $1 merchant id, $2 search, $3 the member that it means. */
const eventsAboutSql = `SELECT e.id FROM (
    SELECT id FROM rewards WHERE merchant_id = $1 AND order_id = $2
    UNION
    SELECT id FROM rewards WHERE merchant_id = $1 AND member_id = $3
  ) w
  CROSS JOIN LATERAL (SELECT id FROM events WHERE merchant_id = $1 AND reward_id = w.id OFFSET 0) e
  LIMIT ${fewEvents + 1}`;

/** A page of a merchant's deliveries, newest first. @throws CursorError */
export async function listDeliveriesPage(
  database: Sql,
  merchantId: string,
  search: DeliverySearch,
  page: PageRequest,
): Promise<ListPage<DeliveryRow>> {
  // Where few deliveries can match, they are found by their ids; where many can, the next one is near in order of time.
  let few = false;
  let selectsByJoined = search.eventType !== undefined;
  const conditions = openConditions(merchantId);
  const addFew = (condition: string, ids: string[]) => {
    if (ids.length > fewEvents) return false;
    conditions.add(condition, textArray(ids));
    return (few = true);
  };
  const events = await listEventsOfRareType(database, merchantId, search.eventType);
  if (events) addFew('d.event_id = ANY(?)', events);
  if (search.state === 'pending') {
    const pending = await database.query<{ id: string }>(pendingSql, [merchantId]);
    addFew(
      'd.id = ANY(?::text[]::uuid[])',
      pending.map(({ id }) => id),
    );
  }
  if (search.search !== undefined) {
    const text = search.search;
    const memberId = await resolveMember(database, merchantId, text);
    const about = await database.query<{ id: string }>(eventsAboutSql, [merchantId, text, memberId]);
    const ids = [text, ...about.map(({ id }) => id)];
    // The searched text is the first of the ids.
    const byId = isUuid(text) ? ' OR d.id = ((?::text[])[1])::uuid' : '';
    if (!addFew(`(d.event_id = ANY(?::text[])${byId})`, ids)) {
      conditions.add(
        '(w.order_id = (?::text[])[1] OR w.member_id = (?::text[])[2])',
        textArray([text, memberId]),
      );
      selectsByJoined = true;
    }
  }
  conditions.add('d.state = ?', search.state);
  conditions.add('d.endpoint_id = ?', search.endpointId);
  conditions.add('e.type = ?', search.eventType);
  conditions.add('d.created_at >= ?', search.from);
  conditions.add('d.created_at < ?', search.until);
  const { sql, values } = conditions;
  const query = { columns, values, time: 'd.created_at', id: 'd.id', idType: 'uuid', byIndex: !few } as const;
  return listPage(
    database,
    selectsByJoined
      ? { ...query, from: ofMerchantJoined + sql }
      : { ...query, from: ofMerchant + sql, joins },
    page,
  );
}

type AttemptAnswer = Answer<'Delivery'>['attempts'][number];

/** One POST of a delivery, as the API answers with it, and what only the console shows; `timings` in milliseconds. */
export type AttemptDetails = Omit<AttemptAnswer, 'error' | 'duration_ms'> & {
  error_class: AttemptAnswer['error'];
  timings: Record<string, number>;
  request_headers: Record<string, string> | null;
};

/** The most attempts that are read of one delivery. The schedule has eleven; each manual retry adds to them. */
const newestAttempts = 100;

/** A delivery with its event, its endpoint and its newest attempts. */
export interface DeliveryDetails extends DeliveryRow {
  event: { id: string; type: string; created_at: string; body: string };
  endpoint: {
    id: string;
    url: string;
    deleted: boolean;
    disabled: boolean;
    paused: boolean;
    /** Whether the operator has paused the deliveries of the merchant. */
    operator_paused: boolean;
    breaker_open: boolean;
    /** Whether nothing is sent to it yet: `Retry-After`, a half-open breaker, or the rate limit of a new URL. */
    backing_off: boolean;
    /** Whether its breaker is half-open. */
    half_open: boolean;
    /** Whether its URL has never answered with 2xx. */
    is_new: boolean;
  };
  /** Whether it can be sent now, by the database's clock. */
  due: boolean;
  /** Whether it is a manual retry. */
  manual_retry: boolean;
  /** Oldest first: the newest 100, or as many of them as fit into a page. */
  attempts: AttemptDetails[];
}

/** A delivery of the merchant, or undefined. The id must be a UUID. */
export async function findDeliveryDetails(
  database: Sql,
  merchantId: string,
  id: string,
): Promise<DeliveryDetails | undefined> {
  const [found] = await database.query<DeliveryDetails>(
    `SELECT ${columns}, coalesce(${nextAttemptAt} <= now(), false) AS due, d.retry_at IS NOT NULL AS manual_retry,
       jsonb_build_object('id', e.id, 'type', e.type, 'created_at', rules.iso_utc(e.created_at), 'body', e.body) AS event,
       jsonb_build_object('id', p.id, 'url', p.url, 'deleted', p.deleted_at IS NOT NULL,
         'disabled', p.disabled_at IS NOT NULL, 'paused', p.paused_at IS NOT NULL,
         'operator_paused', p.operator_paused_at IS NOT NULL,
         'breaker_open', p.breaker_opened_at IS NOT NULL, 'backing_off', coalesce(p.send_after > now(), false),
         'half_open', p.ramp_per_second IS NOT NULL, 'is_new', p.first_success_at IS NULL) AS endpoint
     ${ofMerchantJoined} AND d.id = $2::uuid`,
    [merchantId, id],
  );
  if (!found) return undefined;
  const attempts = await database.query<AttemptDetails>(
    `SELECT number, rules.iso_utc(started_at) AS started_at, url, status, error_class, error_message, timings,
       response_body, warning, retried_on_new_connection, ignored, request_headers
     FROM attempts WHERE merchant_id = $1 AND delivery_id = $2::uuid ORDER BY number DESC LIMIT ${newestAttempts}`,
    [merchantId, id],
  );
  return { ...found, attempts: takePage(attempts, newestAttempts).toReversed() };
}

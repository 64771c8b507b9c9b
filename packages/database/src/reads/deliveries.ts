import { isUuid } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import type { Sql } from '../client/client.ts';
import { nextAttemptAt } from '../deliveries/next-attempt.ts';
import { textArray } from '../client/sql-arrays.ts';
import { resolveMember } from '../members/aliases.ts';
import type { DeliveryProgress, DeliveryWait } from '../states.ts';
import { addAnswer, progress, stateOf, waitingFor } from './delivery-progress.ts';
import type { DeliveryAnswer } from './delivery-progress.ts';
import { listPage, openConditions, takePage } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';
import { readWebhookLabels, urlLabel } from './webhook-labels.ts';

/** A delivery as the API answers with it, under the names of the columns. */
export type DeliveryRow = Omit<Answer<'DeliveryListItem'>, 'webhook_id' | 'url' | 'last_error'> & {
  endpoint_id: string;
  endpoint_url: string;
  last_error_class: Answer<'DeliveryListItem'>['last_error'];
};

/** A delivery as the console lists it. */
export type DeliveryListRow = DeliveryRow & {
  progress: DeliveryProgress;
  waiting_for: DeliveryWait | null;
  /** What tells its webhook apart from the merchant's other ones. */
  webhook_label: string;
  /** Of the reward; null for other events. */
  amount: number | null;
  unit: string | null;
};

export interface DeliverySearch {
  state?: string | undefined;
  progress?: DeliveryProgress | undefined;
  /** The answer to the last attempt. */
  answer?: DeliveryAnswer | undefined;
  /** The least number of attempts. */
  minAttempts?: number | undefined;
  endpointId?: string | undefined;
  eventType?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  /** The complete id of a delivery, an event, an order or a member, who may be given by a former id. */
  search?: string | undefined;
}

const columns = `d.id::text, d.state, d.event_id, e.type AS event_type, d.endpoint_id, p.url AS endpoint_url,
  w.order_id, w.member_id, d.attempts_made, d.last_status, d.last_error_class,
  rules.iso_utc(d.last_attempt_at) AS last_attempt_at, rules.iso_utc(d.created_at) AS created_at,
  rules.iso_utc(${nextAttemptAt}) AS next_attempt_at, rules.iso_utc(d.finished_at) AS finished_at,
  nullif(d.replay_id, '') AS replay_id`;

const consoleColumns = `${columns}, ${progress} AS progress, ${waitingFor} AS waiting_for, w.amount::float8 AS amount, w.unit`;

const endpointJoin = 'LEFT JOIN endpoints p ON p.id = d.endpoint_id AND p.merchant_id = d.merchant_id';

/** The look-up of an event names the time of its partition, so that one partition is read, not all. */
const joins = `LEFT JOIN LATERAL (
    SELECT * FROM events WHERE merchant_id = d.merchant_id AND id = d.event_id AND events.created_at = d.event_created_at OFFSET 0
  ) e ON true
  ${endpointJoin}
  LEFT JOIN rewards w ON w.merchant_id = e.merchant_id AND w.id = e.reward_id`;
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

/** The same for deliveries that are held, or are pending although their webhook is paused or disabled. */
const heldSql = `SELECT d.id::text FROM endpoints p
  CROSS JOIN LATERAL (
    (SELECT id FROM deliveries WHERE endpoint_id = p.id AND state = 'held' OFFSET 0)
    UNION ALL
    (SELECT id FROM deliveries WHERE endpoint_id = p.id AND state = 'pending' AND p.holds_deliveries OFFSET 0)) d
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
export const listDeliveriesPage = (
  database: Sql,
  merchantId: string,
  search: DeliverySearch,
  page: PageRequest,
): Promise<ListPage<DeliveryRow>> => listMatching(database, columns, merchantId, search, page);

/** The same page with what the console shows of each. @throws CursorError */
export async function listDeliveriesWithProgress(
  database: Sql,
  merchantId: string,
  search: DeliverySearch,
  page: PageRequest,
): Promise<ListPage<DeliveryListRow>> {
  const { items, ...rest } = await listMatching<Omit<DeliveryListRow, 'webhook_label'>>(
    database,
    consoleColumns,
    merchantId,
    search,
    page,
  );
  const labels = await readWebhookLabels(database, merchantId);
  return {
    ...rest,
    items: items.map((item) => ({
      ...item,
      webhook_label: labels.get(item.endpoint_id) ?? urlLabel(item.endpoint_url),
    })),
  };
}

async function listMatching<Row extends object>(
  database: Sql,
  selected: string,
  merchantId: string,
  search: DeliverySearch,
  page: PageRequest,
): Promise<ListPage<Row>> {
  // Where few deliveries can match, they are found by their ids; where many can, the next one is near in order of time.
  let few = false;
  let filtersByJoined = search.eventType !== undefined;
  const conditions = openConditions(merchantId);
  const addFew = (condition: string, ids: string[]) => {
    if (ids.length > fewEvents) return false;
    conditions.add(condition, textArray(ids));
    return (few = true);
  };
  const { state = search.state, isAll } =
    search.progress === undefined ? { isAll: true } : stateOf(search.progress);
  const events = await listEventsOfRareType(database, merchantId, search.eventType);
  if (events) addFew('d.event_id = ANY(?)', events);
  let knowsState = state === undefined;
  if (state === 'pending' || search.progress === 'held') {
    const open = await database.query<{ id: string }>(state === 'pending' ? pendingSql : heldSql, [
      merchantId,
    ]);
    knowsState = addFew(
      'd.id = ANY(?::text[]::uuid[])',
      open.map(({ id }) => id),
    );
  }
  // Held, exhausted and cancelled deliveries have an index. A delivery may have been sent since the pending ones were read.
  if (state === 'pending') conditions.addFilter('d.state = ?', state);
  else if (search.progress === 'held')
    conditions.addFilter('d.state = ANY(?::text[])', textArray(['held', 'pending']));
  else if (!knowsState) conditions.add('d.state = ?', state);
  if (!isAll) {
    conditions.addFilter(`${progress} = ?`, search.progress);
    filtersByJoined = true;
  }
  if (search.answer !== undefined) addAnswer(conditions, search.answer);
  conditions.addFilter('d.attempts_made >= ?', search.minAttempts);
  if (search.search !== undefined) {
    const text = search.search;
    const memberId = await resolveMember(database, merchantId, text);
    const about = await database.query<{ id: string }>(eventsAboutSql, [merchantId, text, memberId]);
    const ids = [text, ...about.map(({ id }) => id)];
    // The searched text is the first of the ids.
    const byId = isUuid(text) ? ' OR d.id = ((?::text[])[1])::uuid' : '';
    if (!addFew(`(d.event_id = ANY(?::text[])${byId})`, ids)) {
      const isAbout = '(w.order_id = (?::text[])[1] OR w.member_id = (?::text[])[2])';
      conditions.addFilter(isAbout, textArray([text, memberId]));
      filtersByJoined = true;
    }
  }
  conditions.add('d.endpoint_id = ?', search.endpointId);
  conditions.addFilter('e.type = ?', search.eventType);
  conditions.add('d.created_at >= ?', search.from);
  conditions.add('d.created_at < ?', search.until);
  const { sql, filter, values } = conditions;
  const order = { time: 'd.created_at', id: 'd.id', idType: 'uuid', byIndex: !few } as const;
  const query = { columns: selected, filter, values, ...order };
  // Without a bound, a filter is applied before the joins of the columns.
  const joinsFirst = filtersByJoined && (few || page.bounded !== true);
  return joinsFirst
    ? listPage(database, { ...query, from: ofMerchantJoined + sql }, page)
    : listPage(database, { ...query, from: ofMerchant + sql, joins }, page);
}

type AttemptAnswer = Answer<'Delivery'>['attempts'][number];

/** One POST of a delivery, as the API answers with it, and what only the console shows; `timings` in milliseconds. */
export type AttemptDetails = Omit<AttemptAnswer, 'error' | 'duration_ms'> & {
  error_class: AttemptAnswer['error'];
  timings: Record<string, number>;
  request_headers: Record<string, string> | null;
  /** Of the response to a failed attempt; null for others. */
  response_headers: Record<string, string> | null;
};

/** The most attempts that are read of one delivery. The schedule has eleven; each manual retry adds to them. */
const newestAttempts = 100;

/** A delivery with its event, its endpoint and its newest attempts. */
export interface DeliveryDetails extends Omit<DeliveryListRow, 'webhook_label'> {
  event: { id: string; type: string; created_at: string; body: string };
  endpoint: {
    id: string;
    url: string;
    name: string | null;
    deleted: boolean;
    disabled: boolean;
    paused: boolean;
    breaker_open: boolean;
  };
  /** Whether it can be sent now, by the database's clock. */
  due: boolean;
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
    `SELECT ${consoleColumns}, coalesce(${nextAttemptAt} <= now(), false) AS due,
       jsonb_build_object('id', e.id, 'type', e.type, 'created_at', rules.iso_utc(e.created_at), 'body', e.body) AS event,
       jsonb_build_object('id', p.id, 'url', p.url, 'name', p.name, 'deleted', p.deleted_at IS NOT NULL,
         'disabled', p.disabled_at IS NOT NULL, 'paused', p.paused_at IS NOT NULL,
         'breaker_open', p.breaker_opened_at IS NOT NULL) AS endpoint
     ${ofMerchantJoined} AND d.id = $2::uuid`,
    [merchantId, id],
  );
  if (!found) return undefined;
  const attempts = await database.query<AttemptDetails>(
    `SELECT number, rules.iso_utc(started_at) AS started_at, url, status, error_class, error_message, timings,
       response_body, warning, retried_on_new_connection, ignored, request_headers, response_headers
     FROM attempts WHERE merchant_id = $1 AND delivery_id = $2::uuid ORDER BY number DESC LIMIT ${newestAttempts}`,
    [merchantId, id],
  );
  return { ...found, attempts: takePage(attempts, newestAttempts).toReversed() };
}

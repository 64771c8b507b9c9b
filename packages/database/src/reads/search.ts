import { isUuid, readMemberSearch } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { orderOfId, startsWith } from './id-prefix.ts';
import { selectMembers } from './members.ts';

/** What a search finds, in the order of its answer. */
export type FoundKind = 'order' | 'member' | 'webhook' | 'delivery' | 'event' | 'request';

/** The matches of one kind, in the order of their ids. */
export interface FoundOfKind {
  kind: FoundKind;
  /**
   * At most five. `about`: the member of an order, the code of a member, the name or URL of a webhook, the event of a delivery, the type of an
   * event, the route of a request.
   */
  items: { id: string; about: string }[];
  /** Whether there are more than `items`. */
  more: boolean;
}

const mostOfKind = 5;

/** The most webhooks whose hosts are compared; a merchant has few. */
const mostWebhooks = 1_000;

const eventIdPattern = /^evt_\w+$/;

/** As the API takes it from `X-Request-Id`. */
const requestIdPattern = /^[\w.:-]{1,100}$/;

/**
 * Finds what a person typed or pasted among the rows of a merchant: orders and members by the start of their id in any case, members by
 * a code, a share link or a former id, webhooks by a part of their name or host, deliveries, events and requests by their complete id. Kinds without a match
 * are left out.
 */
export const findMatches = (database: Sql, merchantId: string, text: string): Promise<FoundOfKind[]> =>
  transact(database, async (tx) => {
    await preferIndexes(tx);
    return matchesIn(tx, merchantId, text);
  });

/** What {@link findMatches} reads, in its transaction. */
export async function matchesIn(tx: Queryable, merchantId: string, text: string): Promise<FoundOfKind[]> {
  const most = mostOfKind + 1;
  // Without outer blanks and invisible characters.
  const id = readMemberSearch(text).ids.at(-1) ?? text;
  const read = (sql: string, values: unknown[]) => tx.query<FoundOfKind['items'][number]>(sql, values);
  const members = selectMembers(merchantId, text, { most });
  const found: Record<FoundKind, Promise<FoundOfKind['items']> | []> = {
    order: read(
      `SELECT o.order_id AS id, o.member_id AS about FROM orders o
       WHERE o.merchant_id = $1 AND ${startsWith('o.order_id').replace('?', '$3')}
       ORDER BY ${orderOfId('o.order_id')} LIMIT $2`,
      [merchantId, most, id],
    ),
    member: read(
      `SELECT m.member_id AS id, m.code AS about FROM (${members.sql}) m ORDER BY ${members.order}`,
      members.values,
    ),
    // Of `https://host:port/path` the host and the port.
    webhook: read(
      `SELECT p.id, coalesce(p.name, p.url) AS about
       FROM (SELECT id, name, url FROM endpoints WHERE merchant_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT ${mostWebhooks}) p
       WHERE strpos(lower(split_part(p.url, '/', 3)), lower($3)) > 0 OR strpos(lower(p.name), lower($3)) > 0 ORDER BY p.id LIMIT $2`,
      [merchantId, most, id],
    ),
    delivery: isUuid(id)
      ? read(
          'SELECT d.id::text, d.event_id AS about FROM deliveries d WHERE d.merchant_id = $1 AND d.id = $2::uuid',
          [merchantId, id],
        )
      : [],
    event: eventIdPattern.test(id)
      ? read('SELECT e.id, e.type AS about FROM events e WHERE e.merchant_id = $1 AND e.id = $2', [
          merchantId,
          id,
        ])
      : [],
    // Several requests can have the id of a client: the newest one says what it is.
    request: requestIdPattern.test(id)
      ? read(
          `SELECT r.request_id AS id, r.route AS about FROM requests r
           WHERE r.merchant_id = $1 AND r.request_id = $2 ORDER BY r.at DESC, r.id DESC LIMIT 1`,
          [merchantId, id],
        )
      : [],
  };
  const kinds = Object.entries(found).map(async ([kind, rows]): Promise<FoundOfKind> => {
    const items = await rows;
    return { kind: kind as FoundKind, items: items.slice(0, mostOfKind), more: items.length > mostOfKind };
  });
  return (await Promise.all(kinds)).filter(({ items }) => items.length > 0);
}

import { randomUUID } from 'node:crypto';
import { hot } from './client.ts';
import type { Database, Sql } from './client.ts';
import { retryConflicts } from './conflicts.ts';
import type { OrderBatch } from './orders.ts';
import { textArray } from './text-array.ts';

/** Orders of one merchant that wait to be judged together: a row of `due_batches`. The same goes as job. */
export interface DueBatch {
  merchantId: string;
  batchId: string;
  /** How many they are. */
  orders: number;
}

/** Orders in a batch at the most: so many are judged in one transaction. */
export const ordersPerBatch = 1_000;

/** What a new row of `due_batches` returns. */
export interface DueRow {
  merchant_id: string;
  id: string;
  orders: number;
}

/** An order as it was sent, in the highest of the versions that were sent together. */
interface Sent {
  /** Merchant and order. */
  key: string;
  merchantId: string;
  orderId: string;
  memberId: string;
  version: number;
}

/** What there is to judge of batches that were stored. */
export interface Marked {
  due: DueBatch[];
  /** How many orders of each stored batch they hold. */
  toJudge: number[];
}

/**
 * Marks the orders of these batches that have to be judged: those of linked members, and those that were
 * judged for another member before. Runs after the upsert has committed: an order and a link that come
 * at the same moment then see each other from at least one side (`markOrdersOfReferral` is the other).
 */
export async function markDueJudgements(database: Database, batches: OrderBatch[]): Promise<Marked> {
  const concerned = await findConcerned(database, highestVersions(batches));
  if (concerned.length === 0) return { due: [], toJudge: batches.map(() => 0) };
  const byMerchant = new Map<string, Sent[]>();
  for (const order of concerned) append(byMerchant, order.merchantId, order);
  const rows = [...byMerchant].flatMap(([merchantId, orders]) =>
    Array.from({ length: Math.ceil(orders.length / ordersPerBatch) }, (_, part) => {
      const own = orders.slice(part * ordersPerBatch, (part + 1) * ordersPerBatch);
      return {
        merchant_id: merchantId,
        id: randomUUID(),
        order_ids: own.map(({ orderId }) => orderId),
        member_ids: own.map(({ memberId }) => memberId),
      };
    }),
  );
  await hot(database).query(
    `INSERT INTO due_batches (merchant_id, id, order_ids, member_ids)
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS b (merchant_id text, id uuid, order_ids text[], member_ids text[])`,
    [JSON.stringify(rows)],
  );
  const keys = new Set(concerned.map(({ key }) => key));
  return {
    due: rows.map((row) => batchOf({ ...row, orders: row.order_ids.length })),
    toJudge: batches.map(
      ({ merchantId, orders }) =>
        orders.filter(({ order_id }) => keys.has(keyOf(merchantId, order_id))).length,
    ),
  };
}

function highestVersions(batches: OrderBatch[]): Sent[] {
  const highest = new Map<string, Sent>();
  for (const { merchantId, version, orders } of batches)
    for (const { order_id: orderId, member_id: memberId } of orders) {
      const key = keyOf(merchantId, orderId);
      if ((highest.get(key)?.version ?? -1) <= version)
        highest.set(key, { key, merchantId, orderId, memberId, version });
    }
  return [...highest.values()];
}

function keyOf(merchantId: string, id: string): string {
  return `${merchantId} ${id}`;
}

function append(groups: Map<string, Sent[]>, key: string, order: Sent): void {
  const group = groups.get(key);
  if (group) group.push(order);
  else groups.set(key, [order]);
}

/** The orders that have to be judged. */
async function findConcerned(database: Database, sent: Sent[]): Promise<Sent[]> {
  const byMember = new Map<string, Sent[]>();
  for (const order of sent) append(byMember, keyOf(order.merchantId, order.memberId), order);
  const members = [...byMember.values()];
  const rows = await hot(database).query<{ member: number | null; order: number | null }>(concernedSql, [
    textArray(members.map(([order]) => order?.merchantId ?? '')),
    textArray(members.map(([order]) => order?.memberId ?? '')),
    textArray(sent.map(({ merchantId }) => merchantId)),
    textArray(sent.map(({ orderId }) => orderId)),
    textArray(sent.map(({ memberId }) => memberId)),
  ]);
  const concerned = rows.flatMap(({ member, order }) =>
    member !== null ? (members[member - 1] ?? []) : (sent[(order ?? 0) - 1] ?? []),
  );
  return [...new Set(concerned)];
}

// Places in the arrays: $1 and $2 the members, $3 to $5 the orders. OFFSET 0 keeps the planner from joining any other
// way than by the keys, whatever it believes about table sizes.
const concernedSql = `
  SELECT place::int AS member, NULL AS order
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS sent (merchant_id, member_id, place)
  CROSS JOIN LATERAL (
    SELECT 1 FROM referrals r
    WHERE r.merchant_id = sent.merchant_id AND r.referee_member_id = sent.member_id OFFSET 0) linked
  UNION ALL
  SELECT NULL, place::int
  FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS sent (merchant_id, order_id, member_id, place)
  CROSS JOIN LATERAL (
    SELECT member_id FROM decisions d
    WHERE d.merchant_id = sent.merchant_id AND d.order_id = sent.order_id OFFSET 0) judged
  WHERE judged.member_id <> sent.member_id`;

/** Marks all orders of members to be judged (again): their link came, or a reward of theirs fell away. */
export async function markOrdersOfMembers(
  sql: Sql,
  merchantId: string,
  memberIds: string[],
): Promise<DueBatch[]> {
  if (memberIds.length === 0) return [];
  const rows = await sql.query<DueRow>(
    `INSERT INTO due_batches (merchant_id, order_ids, member_ids)
     SELECT $1, array_agg(order_id ORDER BY place), array_agg(member_id ORDER BY place)
     FROM (
       SELECT order_id, member_id, row_number() OVER (ORDER BY member_id, order_id) AS place FROM orders
       WHERE merchant_id = (SELECT $1::text) AND member_id = ANY($2)) due
     GROUP BY (place - 1) / ${ordersPerBatch}
     RETURNING merchant_id, id, cardinality(order_ids) AS orders`,
    [merchantId, memberIds],
  );
  return rows.map(batchOf);
}

/**
 * Marks the earlier orders of a referral's referee to be judged. Runs after the link has committed; until it is
 * done the referral says so itself, so that a process killed in between leaves the rest to the sweeper.
 */
export async function markOrdersOfReferral(
  database: Database,
  merchantId: string,
  referral: { id: string; refereeMemberId: string },
): Promise<DueBatch[]> {
  const marked = await retryConflicts(() =>
    markOrdersOfMembers(hot(database), merchantId, [referral.refereeMemberId]),
  );
  await database.referral.update({
    where: { merchantId_id: { merchantId, id: referral.id } },
    data: { ordersMarkedAt: new Date() },
  });
  return marked;
}

/** The batch as its row tells of it. */
export function batchOf({ merchant_id, id, orders }: DueRow): DueBatch {
  return { merchantId: merchant_id, batchId: id, orders };
}

/** Takes a batch to judge it: nobody else can until this transaction ends. Undefined when it was judged already. */
export async function takeBatch(
  tx: Sql,
  merchantId: string,
  batchId: string,
): Promise<{ orderIds: string[]; memberIds: string[] } | undefined> {
  const [row] = await tx.query<{ order_ids: string[]; member_ids: string[] }>(
    'DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING to_json(order_ids) AS order_ids, to_json(member_ids) AS member_ids',
    [merchantId, batchId],
  );
  return row && { orderIds: row.order_ids, memberIds: row.member_ids };
}

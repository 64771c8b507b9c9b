import { hot } from './client.ts';
import type { Database, Sql } from './client.ts';
import { retryConflicts } from './conflicts.ts';
import type { OrderBatch } from './orders.ts';

/** Orders of one merchant. */
export interface MerchantOrders {
  merchantId: string;
  orderIds: string[];
}

interface DueRow {
  merchant_id: string;
  order_id: string;
}

/**
 * Marks the orders of these batches that have to be judged: those of linked members, and those that were
 * judged for another member before. Runs after the upsert has committed: an order and a link that come
 * at the same moment then see each other from at least one side (`markOrdersOfReferral` is the other).
 * Counts only orders whose stored version is the batch's: a newer one is marked by its own job.
 */
export function markDueJudgements(database: Database, batches: OrderBatch[]): Promise<MerchantOrders[]> {
  const sent = batches.flatMap(({ merchantId, version, orders }) =>
    orders.map(({ order_id, member_id }) => ({ m: merchantId, v: version, o: order_id, u: member_id })),
  );
  const parameter = JSON.stringify(sent);
  return retryConflicts(async () => byMerchant(await hot(database).query<DueRow>(markSent, [parameter])));
}

// OFFSET 0 keeps the planner from joining any other way than by the keys, whatever it believes about table sizes.
const markSent = `
  WITH sent AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS s (m text, v bigint, o text, u text)
  ), concerned AS (
    SELECT s.m, s.v, s.o FROM sent s CROSS JOIN LATERAL (
      SELECT 1 FROM referrals r WHERE r.merchant_id = s.m AND r.referee_member_id = s.u OFFSET 0) linked
    UNION
    SELECT s.m, s.v, s.o FROM sent s CROSS JOIN LATERAL (
      SELECT member_id FROM decisions d WHERE d.merchant_id = s.m AND d.order_id = s.o OFFSET 0) judged
    WHERE judged.member_id <> s.u
  )
  INSERT INTO due_judgements AS due (merchant_id, order_id, member_id, version)
  SELECT o.* FROM concerned c CROSS JOIN LATERAL (
    SELECT merchant_id, order_id, member_id, version FROM orders
    WHERE merchant_id = c.m AND order_id = c.o AND version = c.v OFFSET 0) o
  ORDER BY o.merchant_id, o.order_id
  ON CONFLICT (merchant_id, order_id) DO UPDATE
  SET version = greatest(due.version, excluded.version), member_id = excluded.member_id,
    due_since = now(), swept_at = NULL
  RETURNING due.merchant_id, due.order_id`;

/** Marks all orders of members to be judged (again): their link came, or a reward of theirs fell away. */
export async function markOrdersOfMembers(
  sql: Sql,
  merchantId: string,
  memberIds: string[],
): Promise<MerchantOrders[]> {
  if (memberIds.length === 0) return [];
  const rows = await sql.query<DueRow>(
    `INSERT INTO due_judgements AS due (merchant_id, order_id, member_id, version)
     SELECT merchant_id, order_id, member_id, version FROM orders
     WHERE merchant_id = $1 AND member_id = ANY($2)
     ORDER BY merchant_id, order_id
     ON CONFLICT (merchant_id, order_id) DO UPDATE
     SET version = greatest(due.version, excluded.version), due_since = now(), swept_at = NULL
     RETURNING due.merchant_id, due.order_id`,
    [merchantId, memberIds],
  );
  return byMerchant(rows);
}

/**
 * Marks the earlier orders of a referral's referee to be judged. Runs after the link has committed; until it is
 * done the referral says so itself, so that a process killed in between leaves the rest to the sweeper.
 */
export async function markOrdersOfReferral(
  database: Database,
  merchantId: string,
  referral: { id: string; refereeMemberId: string },
): Promise<MerchantOrders[]> {
  const marked = await retryConflicts(() =>
    markOrdersOfMembers(hot(database), merchantId, [referral.refereeMemberId]),
  );
  await database.referral.update({
    where: { merchantId_id: { merchantId, id: referral.id } },
    data: { ordersMarkedAt: new Date() },
  });
  return marked;
}

/** Referrals whose referee's orders were not marked within so many seconds after the link. */
export function listUnmarkedReferrals(
  database: Database,
  afterSeconds: number,
): Promise<{ merchantId: string; id: string; refereeMemberId: string }[]> {
  return database.$queryRaw`
    SELECT merchant_id AS "merchantId", id, referee_member_id AS "refereeMemberId" FROM referrals
    WHERE orders_marked_at IS NULL AND linked_at < now() - make_interval(secs => ${afterSeconds}::double precision)
    LIMIT 1000`;
}

/** Marks the orders of pending rewards whose hold is over; the judgement confirms them, or takes them back. */
export async function markHoldsOver(database: Database): Promise<MerchantOrders[]> {
  const rows = await database.$queryRaw<DueRow[]>`
    INSERT INTO due_judgements (merchant_id, order_id, member_id, version)
    SELECT DISTINCT o.merchant_id, o.order_id, o.member_id, o.version
    FROM rewards w JOIN orders o ON o.merchant_id = w.merchant_id AND o.order_id = w.order_id
    WHERE w.state = 'pending' AND w.confirm_due_at <= now()
    ORDER BY 1, 2 LIMIT 5000
    ON CONFLICT DO NOTHING
    RETURNING merchant_id, order_id`;
  return byMerchant(rows);
}

/**
 * Takes orders that have waited for a judgement longer than `afterSeconds` without a job: the job was lost,
 * or never queued. Each is taken at most once per `afterSeconds`, by one sweeper.
 */
export async function sweepDueJudgements(
  database: Database,
  afterSeconds: number,
  limit: number,
): Promise<MerchantOrders[]> {
  const rows = await database.$queryRaw<DueRow[]>`
    UPDATE due_judgements due SET swept_at = now()
    FROM (
      SELECT merchant_id, order_id FROM due_judgements
      WHERE due_since < now() - make_interval(secs => ${afterSeconds}::double precision)
        AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => ${afterSeconds}::double precision))
      ORDER BY due_since LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) late
    WHERE due.merchant_id = late.merchant_id AND due.order_id = late.order_id
    RETURNING due.merchant_id, due.order_id`;
  return byMerchant(rows);
}

function byMerchant(rows: DueRow[]): MerchantOrders[] {
  const groups = new Map<string, string[]>();
  for (const { merchant_id, order_id } of rows) {
    const group = groups.get(merchant_id);
    if (group) group.push(order_id);
    else groups.set(merchant_id, [order_id]);
  }
  return [...groups].map(([merchantId, orderIds]) => ({ merchantId, orderIds }));
}

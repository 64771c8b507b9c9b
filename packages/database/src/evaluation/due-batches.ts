import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { numberArray, textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';

/** Orders of one merchant that are due for evaluation together: a row of `due_batches`, and the job for it. */
export interface DueBatch {
  merchantId: string;
  batchId: string;
  /** The number of orders. */
  orders: number;
}

/** A request that orders of a batch came with. */
export interface BatchRequest {
  /** The version of its orders; undefined when the request enqueued all orders of the batch. */
  version?: number;
  id: string;
  traceparent?: string | undefined;
}

/** Failures, transient ones not counted, after which the orders of a batch are evaluated one by one. */
export const failuresBeforeSplit = 3;

/** The columns of a {@link DueBatch}. */
export const batchColumns = { merchantId: 'text', batchId: 'text', orders: 'integer' } as const;

/** Orders to evaluate again. An order may be in several of these. */
export interface OrdersToReevaluate {
  /** Single orders. */
  orderIds?: string[];
  /** Members whose first order may have changed: of their orders, those that can be the first. */
  firstOrdersOf?: string[];
  /** Members whose orders may all be decided differently. */
  allOrdersOf?: string[];
}

/**
 * Enqueues orders for evaluation, at most 100 in a batch. The first order of a member is the earliest paid one, or one that the
 * merchant marks: no other order can be decided differently when the first one changes. The oldest of a member are in the first
 * batch: a reward that a later one was given would be taken back.
 */
const enqueueOrdersSql = statement<
  DueBatch,
  [merchantId: string, orderIds: string, firstOrdersOf: string, allOrdersOf: string, requests: string | null]
>({
  name: 'enqueue orders',
  parameters: ['text', 'text[]', 'text[]', 'text[]', 'jsonb'],
  columns: batchColumns,
  text: `
    WITH due AS (
      SELECT o.order_id, o.member_id, o.version, o.order_date
      FROM unnest($2::text[]) AS wanted (order_id)
      CROSS JOIN LATERAL (
        SELECT * FROM orders
        WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.order_id AND order_id <= wanted.order_id
        ORDER BY order_id OFFSET 0) o
      UNION
      SELECT o.order_id, o.member_id, o.version, o.order_date
      FROM unnest($3::text[]) AS wanted (member_id)
      CROSS JOIN LATERAL (
        SELECT * FROM orders
        WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted.member_id AND member_id <= wanted.member_id
          AND rules.counts_as_paid(paid_at, counts_as_paid_at, cancelled_at, returned_at, items)
        ORDER BY member_id, order_date FETCH FIRST ROW WITH TIES) o
      UNION
      SELECT o.order_id, o.member_id, o.version, o.order_date
      FROM unnest($3::text[]) AS wanted (member_id)
      CROSS JOIN LATERAL (
        SELECT * FROM orders
        WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted.member_id AND member_id <= wanted.member_id
          AND first_order
        ORDER BY member_id OFFSET 0) o
      WHERE rules.counts_as_paid(o.paid_at, o.counts_as_paid_at, o.cancelled_at, o.returned_at, o.items)
      UNION
      SELECT o.order_id, o.member_id, o.version, o.order_date
      FROM unnest($4::text[]) AS wanted (member_id)
      CROSS JOIN LATERAL (
        SELECT * FROM orders
        WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted.member_id AND member_id <= wanted.member_id
        ORDER BY member_id OFFSET 0) o
    )
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", cardinality(b.order_ids) AS orders
    FROM (
      SELECT array_agg($1::text) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
        array_agg(version) AS versions
      FROM (SELECT * FROM due ORDER BY member_id, order_date, order_id COLLATE "C") sorted
    ) d
    CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, $5::jsonb) b`,
});

/** Enqueues orders for evaluation. Returns the batches. */
export async function enqueueOrders(
  tx: Queryable,
  merchantId: string,
  { orderIds = [], firstOrdersOf = [], allOrdersOf = [] }: OrdersToReevaluate,
  request?: BatchRequest,
): Promise<DueBatch[]> {
  if (orderIds.length + firstOrdersOf.length + allOrdersOf.length === 0) return [];
  return run(tx, enqueueOrdersSql, [
    merchantId,
    textArray(orderIds),
    textArray(firstOrdersOf),
    textArray(allOrdersOf),
    request ? JSON.stringify([{ ...request, version: undefined }]) : null,
  ]);
}

/** An order that has moved from one member to another. */
export interface MovedOrder {
  orderId: string;
  version: number;
  formerMemberId: string;
}

const enqueueFormerMembersSql = statement<
  DueBatch,
  [merchantId: string, orderIds: string, formerMemberIds: string, versions: string]
>({
  name: 'enqueue former members',
  parameters: ['text', 'text[]', 'text[]', 'bigint[]'],
  columns: batchColumns,
  text: `
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", cardinality(b.order_ids) AS orders
    FROM rules.enqueue_orders(array_fill($1::text, ARRAY[cardinality($2::text[])]), $2, $3::text[], $4::bigint[], NULL) b`,
});

/**
 * Enqueues an evaluation of the members that orders have moved away from. It locks their referrals first, as every evaluation does,
 * and finds whether they were new, and the orders that are related to those that have left; these are no longer theirs and left out.
 */
export async function enqueueFormerMembers(
  tx: Queryable,
  merchantId: string,
  moved: MovedOrder[],
): Promise<DueBatch[]> {
  if (moved.length === 0) return [];
  return run(tx, enqueueFormerMembersSql, [
    merchantId,
    textArray(moved.map(({ orderId }) => orderId)),
    textArray(moved.map(({ formerMemberId }) => formerMemberId)),
    numberArray(moved.map(({ version }) => version)),
  ]);
}

/**
 * Enqueues the orders of a referral's referee, and records in the referral whether they are complete.
 *
 * An order that is being stored while the referral is committed does not see the referral, and is not seen here. It
 * is found by a later pass, once its transaction has ended. So a pass is the last one (`orders_enqueued_at` is set)
 * when no transaction from before the first pass is still running, that is, none with an id below `after_xid`; the
 * first pass sets `enqueue_after_xid` to its own id, which is assigned after all of these. `pg_snapshot_xmax` does not bound them: it
 * is one past the highest id that has ended, and a running transaction can have a greater one. A stored id above it was assigned by
 * another cluster, before a restore, and is ignored.
 */
const enqueueOrdersOfReferralSql = statement<DueBatch, [merchantId: string, referralId: string]>({
  name: 'enqueue orders of a referral',
  parameters: ['text', 'text'],
  columns: batchColumns,
  text: `
    WITH running AS MATERIALIZED (
      SELECT pg_snapshot_xmin(s) AS oldest_xid, pg_snapshot_xmax(s) AS snapshot_xmax FROM pg_current_snapshot() s
    ), selected AS MATERIALIZED (
      SELECT r.merchant_id, r.id,
        CASE WHEN r.enqueue_after_xid <= snapshot_xmax THEN r.enqueue_after_xid ELSE pg_current_xact_id() END AS after_xid
      FROM referrals r, running
      WHERE r.merchant_id = $1 AND r.id = $2
    ), updated AS (
      UPDATE referrals r SET
        orders_enqueued_at = CASE WHEN running.oldest_xid >= selected.after_xid THEN now() ELSE r.orders_enqueued_at END,
        enqueue_after_xid = selected.after_xid
      FROM selected, running
      WHERE r.merchant_id = selected.merchant_id AND r.id = selected.id
      RETURNING r.merchant_id, r.referee_member_id
    ), due AS (
      SELECT o.merchant_id, o.order_id, o.member_id, o.version, o.order_date
      FROM updated CROSS JOIN LATERAL (
        SELECT * FROM orders
        WHERE merchant_id = updated.merchant_id AND member_id = updated.referee_member_id OFFSET 0) o
    )
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", cardinality(b.order_ids) AS orders
    FROM (
      SELECT array_agg(merchant_id) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
        array_agg(version) AS versions
      FROM (SELECT * FROM due ORDER BY member_id, order_date, order_id COLLATE "C") sorted
    ) d
    CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, NULL) b`,
});

/**
 * Enqueues the orders that a referral's referee had before. To be called after the referral was committed; if that does
 * not happen, or a further pass is needed, {@link sweepReferrals} does it. Returns the batches.
 */
export async function enqueueOrdersOfReferral(
  database: Sql,
  merchantId: string,
  referral: { id: string },
): Promise<DueBatch[]> {
  return retryConflicts(() => run(database, enqueueOrdersOfReferralSql, [merchantId, referral.id]));
}

/** As {@link enqueueOrdersOfReferralSql}, for all referrals that need a pass. Orders with a decision about their version are left out. */
const sweepReferralsSql = statement<DueBatch, [afterSeconds: number]>({
  name: 'enqueue orders of referrals that need a pass',
  parameters: ['double precision'],
  columns: batchColumns,
  text: `
    WITH running AS MATERIALIZED (
      SELECT pg_snapshot_xmin(s) AS oldest_xid, pg_snapshot_xmax(s) AS snapshot_xmax FROM pg_current_snapshot() s
    ), selected AS MATERIALIZED (
      SELECT r.merchant_id, r.id,
        CASE WHEN r.enqueue_after_xid <= snapshot_xmax THEN r.enqueue_after_xid ELSE pg_current_xact_id() END AS after_xid
      FROM referrals r, running
      WHERE r.orders_enqueued_at IS NULL
        AND CASE
          WHEN r.enqueue_after_xid IS NULL THEN r.linked_at < now() - make_interval(secs => $1::double precision)
          ELSE r.enqueue_after_xid <= oldest_xid OR r.enqueue_after_xid > snapshot_xmax
        END
      ORDER BY r.linked_at LIMIT 1000 FOR UPDATE OF r SKIP LOCKED
    ), updated AS (
      UPDATE referrals r SET
        orders_enqueued_at = CASE WHEN running.oldest_xid >= selected.after_xid THEN now() ELSE r.orders_enqueued_at END,
        enqueue_after_xid = selected.after_xid
      FROM selected, running
      WHERE r.merchant_id = selected.merchant_id AND r.id = selected.id
      RETURNING r.merchant_id, r.referee_member_id
    ), due AS (
      SELECT o.merchant_id, o.order_id, o.member_id, o.version, o.order_date
      FROM updated CROSS JOIN LATERAL (
        SELECT * FROM orders
        WHERE merchant_id = updated.merchant_id AND member_id = updated.referee_member_id OFFSET 0) o
      WHERE NOT EXISTS (
        SELECT 1 FROM decisions d
        WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id AND d.order_version = o.version
          AND d.member_id = o.member_id)
    )
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", cardinality(b.order_ids) AS orders
    FROM (
      SELECT array_agg(merchant_id) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
        array_agg(version) AS versions
      FROM (SELECT * FROM due ORDER BY member_id, order_date, order_id COLLATE "C") sorted
    ) d
    CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, NULL) b`,
});

/**
 * Enqueues the orders of referrals whose passes are not complete: the first one is missing for `afterSeconds` after the
 * link, or a further one is needed and possible now. Returns the batches.
 */
export async function sweepReferrals(database: Sql, afterSeconds: number): Promise<DueBatch[]> {
  return retryConflicts(() => run(database, sweepReferralsSql, [afterSeconds]));
}

/**
 * Moves orders that were being stored under an alias while it was made, as {@link sweepReferralsSql} finds orders that were being
 * stored during a link: a pass is the last one when no transaction from before the first pass is still running.
 */
const moveOrdersSql = statement<DueBatch>({
  name: 'move orders of aliases',
  parameters: [],
  columns: batchColumns,
  text: `
    WITH running AS MATERIALIZED (
      SELECT pg_snapshot_xmin(s) AS oldest_xid, pg_snapshot_xmax(s) AS snapshot_xmax FROM pg_current_snapshot() s
    ), selected AS MATERIALIZED (
      SELECT a.ctid AS row,
        CASE WHEN a.move_after_xid <= snapshot_xmax THEN a.move_after_xid ELSE pg_current_xact_id() END AS after_xid
      FROM member_aliases a, running
      WHERE a.orders_moved_at IS NULL
        AND (a.move_after_xid IS NULL OR a.move_after_xid <= oldest_xid OR a.move_after_xid > snapshot_xmax)
      ORDER BY a.merged_at LIMIT 1000 FOR UPDATE OF a SKIP LOCKED
    ), updated AS (
      UPDATE member_aliases a SET
        orders_moved_at = CASE WHEN running.oldest_xid >= selected.after_xid THEN now() ELSE a.orders_moved_at END,
        move_after_xid = selected.after_xid
      FROM selected, running
      WHERE a.ctid = selected.row
      RETURNING a.merchant_id, a.alias_id, a.member_id
    ), moved AS (
      UPDATE orders o SET member_id = found.member_id, sent_member_id = coalesce(o.sent_member_id, found.alias_id)
      FROM (
        SELECT updated.member_id, updated.alias_id, stored.row FROM updated
        CROSS JOIN LATERAL (
          SELECT ctid AS row FROM orders
          WHERE merchant_id = updated.merchant_id AND member_id >= updated.alias_id AND member_id <= updated.alias_id
          ORDER BY member_id OFFSET 0 FOR NO KEY UPDATE) stored
      ) found
      WHERE o.ctid = found.row
      RETURNING o.merchant_id, o.order_id, o.member_id, o.version, o.order_date
    )
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", cardinality(b.order_ids) AS orders
    FROM (
      SELECT array_agg(merchant_id) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
        array_agg(version) AS versions
      FROM (SELECT * FROM moved ORDER BY member_id, order_date, order_id COLLATE "C") sorted
    ) d
    CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, NULL) b`,
});

/**
 * Moves the orders that were being stored under the id of a member while that member was merged, and enqueues them. From then on
 * the statement that stores orders finds the alias itself. Returns the batches.
 */
export function moveOrdersOfAliases(database: Sql): Promise<DueBatch[]> {
  return retryConflicts(() => run(database, moveOrdersSql, []));
}

const enqueueEndedHoldsSql = statement<DueBatch>({
  name: 'enqueue orders whose hold has ended',
  parameters: [],
  columns: batchColumns,
  text: `
    WITH ended AS (
      UPDATE rewards w SET hold_enqueued = true
      FROM (
        SELECT merchant_id, id FROM rewards
        WHERE state = 'pending' AND NOT hold_enqueued AND confirm_due_at <= now()
        ORDER BY confirm_due_at LIMIT 5000 FOR NO KEY UPDATE SKIP LOCKED
      ) due
      WHERE w.merchant_id = due.merchant_id AND w.id = due.id
      RETURNING w.merchant_id, w.order_id
    ), due AS (
      SELECT o.merchant_id, o.order_id, o.member_id, o.version
      FROM (SELECT DISTINCT merchant_id, order_id FROM ended) e
      CROSS JOIN LATERAL (
        SELECT * FROM orders WHERE merchant_id = e.merchant_id AND order_id = e.order_id OFFSET 0) o
    )
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", cardinality(b.order_ids) AS orders
    FROM (
      SELECT array_agg(merchant_id) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
        array_agg(version) AS versions
      FROM (SELECT * FROM due ORDER BY order_id) sorted
    ) d
    CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, NULL) b`,
});

/**
 * Enqueues the orders of pending rewards whose hold has ended: their evaluation confirms or withdraws the rewards. Each end is
 * enqueued once; rewards that another transaction has locked are left to the next run. Returns the batches.
 */
export function enqueueEndedHolds(database: Sql): Promise<DueBatch[]> {
  return run(database, enqueueEndedHoldsSql, []);
}

const enqueuePaymentsSql = statement<DueBatch>({
  name: 'enqueue orders that begin to count as paid',
  parameters: [],
  columns: batchColumns,
  text: `
    WITH reached AS (
      UPDATE orders o SET counts_as_paid_at = NULL
      FROM (
        SELECT merchant_id, order_id FROM orders
        WHERE counts_as_paid_at <= now()
        ORDER BY counts_as_paid_at LIMIT 5000 FOR NO KEY UPDATE SKIP LOCKED
      ) due
      WHERE o.merchant_id = due.merchant_id AND o.order_id = due.order_id
      RETURNING o.merchant_id, o.order_id, o.member_id, o.version
    )
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", cardinality(b.order_ids) AS orders
    FROM (
      SELECT array_agg(merchant_id) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
        array_agg(version) AS versions
      FROM (SELECT * FROM reached ORDER BY member_id, order_id) sorted
    ) d
    CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, NULL) b`,
});

/**
 * Enqueues orders whose `paid_at` was in the future and is reached: from now on they count as paid. Orders that another transaction
 * has locked are left to the next run. Returns the batches.
 */
export function enqueuePaymentsReached(database: Sql): Promise<DueBatch[]> {
  return run(database, enqueuePaymentsSql, []);
}

const sweepDueBatchesSql = statement<DueBatch, [afterSeconds: number, limit: number]>({
  name: 'list late batches',
  parameters: ['double precision', 'bigint'],
  columns: batchColumns,
  text: `
    UPDATE due_batches b SET swept_at = now()
    FROM (
      SELECT merchant_id, id FROM due_batches
      WHERE due_since < now() - make_interval(secs => $1::double precision)
        AND parked_at IS NULL
        AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => $1::double precision))
      ORDER BY due_since LIMIT $2 FOR UPDATE SKIP LOCKED
    ) late
    WHERE b.merchant_id = late.merchant_id AND b.id = late.id
    RETURNING b.merchant_id AS "merchantId", b.id::text AS "batchId", b.orders`,
});

/**
 * Returns batches that have been due for longer than `afterSeconds`: their job still waits, was lost, or was never
 * enqueued. Each is returned at most once per `afterSeconds`, to one sweeper.
 */
export function sweepDueBatches(database: Sql, afterSeconds: number, limit: number): Promise<DueBatch[]> {
  return run(database, sweepDueBatchesSql, [afterSeconds, limit]);
}

const findDueBatchesSql = statement<DueBatch, [merchantIds: string, batchIds: string]>({
  name: 'find due batches',
  parameters: ['text[]', 'uuid[]'],
  columns: batchColumns,
  text: `
    SELECT b.merchant_id AS "merchantId", b.id::text AS "batchId", b.orders
    FROM unnest($1::text[], $2::uuid[]) AS wanted (merchant_id, id)
    CROSS JOIN LATERAL (
      SELECT * FROM due_batches
      WHERE merchant_id = wanted.merchant_id AND id = wanted.id AND parked_at IS NULL OFFSET 0) b`,
});

/** Returns those of the batches that are still due. The others were evaluated or parked. */
export async function findDueBatches(database: Sql, batches: DueBatch[]): Promise<DueBatch[]> {
  if (batches.length === 0) return [];
  return run(database, findDueBatchesSql, [
    textArray(batches.map(({ merchantId }) => merchantId)),
    textArray(batches.map(({ batchId }) => batchId)),
  ]);
}

/** A batch that was claimed for its evaluation. */
export interface ClaimedBatch {
  batchId: string;
  orderIds: string[];
  memberIds: string[];
  /** How long it has been due. */
  dueSeconds: number;
  /** The version of each order when it was enqueued. */
  orderVersions: number[];
  requests: BatchRequest[] | null;
}

const claimBatchesSql = statement<ClaimedBatch, [merchantId: string, batchIds: string]>({
  name: 'claim due batches',
  parameters: ['text', 'uuid[]'],
  columns: {
    batchId: 'text',
    orderIds: 'json',
    memberIds: 'json',
    orderVersions: 'json',
    requests: 'jsonb',
    dueSeconds: 'double precision',
  },
  text: `
    DELETE FROM due_batches WHERE merchant_id = (SELECT $1::text) AND id = ANY($2::uuid[])
    RETURNING id::text AS "batchId", to_json(order_ids) AS "orderIds", to_json(member_ids) AS "memberIds",
      to_json(order_versions) AS "orderVersions", requests,
      extract(epoch FROM now() - due_since)::float8 AS "dueSeconds"`,
});

/**
 * Deletes batches to evaluate them; a rollback restores them, and no other process can claim them until then. Batches
 * that were evaluated already are left out.
 */
export function claimBatches(tx: Queryable, merchantId: string, batchIds: string[]): Promise<ClaimedBatch[]> {
  return run(tx, claimBatchesSql, [merchantId, textArray(batchIds)]);
}

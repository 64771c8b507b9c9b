-- Enqueues the orders, stored by the same transaction, whose members have a referral, those whose newest decision is for a former
-- member, and known ones of members who were merged: these may have rewards of a referral that has ended. `known` is false for an
-- order that was stored for the first time: it has no decision.
-- In the database as a part of store_orders. A function of its own, because it needs settings of its own: its plan is
-- kept by each connection and made for any parameters and any size of the tables. So a row is found by a form that
-- only the index on its columns can answer (packages/database/src/client/statement.ts), and orders are joined by hashing. It sees what was
-- committed while store_orders waited for locks: a referral, or the decision of an evaluation that had locked the
-- order.
CREATE OR REPLACE FUNCTION rules.enqueue_stored_orders(merchants text[], orders text[], members text[], known boolean[],
  versions bigint[], batches jsonb)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_sort = off
SET enable_nestloop = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH changed AS MATERIALIZED (
    SELECT * FROM unnest(merchants, orders, members, known, versions)
      AS c (merchant_id, order_id, member_id, known, version)
  ), due AS (
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM (SELECT DISTINCT merchant_id, member_id FROM changed) m
    CROSS JOIN LATERAL (
      SELECT 1 FROM referrals r
      WHERE r.merchant_id = m.merchant_id AND r.referee_member_id >= m.member_id AND r.referee_member_id <= m.member_id
      ORDER BY r.referee_member_id OFFSET 0) linked
    JOIN changed c ON c.merchant_id = m.merchant_id AND c.member_id = m.member_id
    UNION
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM changed c
    CROSS JOIN LATERAL (
      SELECT d.member_id FROM decisions d
      WHERE d.merchant_id = c.merchant_id AND d.order_id >= c.order_id AND d.order_id <= c.order_id
      ORDER BY d.order_id DESC, d.number DESC LIMIT 1) decided
    WHERE c.known AND decided.member_id <> c.member_id
    UNION
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM (SELECT DISTINCT merchant_id, member_id FROM changed WHERE known) m
    CROSS JOIN LATERAL (
      SELECT 1 FROM member_aliases a
      WHERE a.merchant_id = m.merchant_id AND a.member_id >= m.member_id AND a.member_id <= m.member_id
      ORDER BY a.member_id OFFSET 0) merged
    JOIN changed c ON c.merchant_id = m.merchant_id AND c.member_id = m.member_id AND c.known
  ), requests AS (
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'version', batch.version, 'id', batch."requestId", 'traceparent', batch.traceparent))) AS requests
    FROM jsonb_to_recordset(batches) AS batch (version bigint, "requestId" text, traceparent text)
    WHERE batch."requestId" IS NOT NULL
  )
  SELECT b.merchant_id, b.id, b.order_ids
  FROM (
    SELECT array_agg(merchant_id) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
      array_agg(version) AS versions
    FROM (SELECT * FROM due ORDER BY order_id) sorted
  ) d
  CROSS JOIN requests r
  CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, r.requests) b;
END
$$;
